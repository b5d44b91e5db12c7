import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy } from '../support/proxy.js';
import { type ServerProcess, startServer } from '../support/server.js';
import { complaintsAreMeant, openPage, seen, takePicture, withoutBrowser } from './browser.js';

let server: ServerProcess;
const withBrowser = withoutBrowser === undefined ? describe : describe.skip;

async function send(page: Page, words: string): Promise<void> {
  await page.fill('#prompt', words);
  await page.press('#prompt', 'Enter');
}

const answers = (page: Page) => page.locator('.said');
const demoAnswer = (words: string): RegExp =>
  new RegExp(`^This is the demo agent, no model; you said: “${words}”.*Try /help\\.$`);

withBrowser('the page', () => {
  beforeAll(async () => {
    server = await startServer({
      options: { delayMs: 60 },
      flags: ['--allow-unauthenticated'],
      until: afterAll,
    });
  });

  it('shows the card, and what can be asked', async () => {
    const page = await openPage(server.url);
    await page.getByRole('heading', { name: 'Kedi A2A agent' }).waitFor();
    expect(await page.title()).toBe('Kedi A2A agent');
    expect(await seen(page.locator('#agent-facts'))).toMatch(/typed answers.*stream-json/s);
    await page.locator('.chip').first().click();
    expect(await page.inputValue('#prompt')).not.toBe('');
    await takePicture(page, 'welcome');
  });

  it('sends text and shows the answer as it streams', async () => {
    const page = await openPage(server.url);
    await send(page, 'Hello there');
    await answers(page).waitFor();
    const early = await seen(answers(page));
    await page.locator('.figures').waitFor();
    const whole = await seen(answers(page));
    expect(whole).toMatch(demoAnswer('Hello there'));
    expect(early.length).toBeLessThan(whole.length);
    expect(whole.startsWith(early)).toBe(true);
    await page.locator('.command[aria-busy="false"]').waitFor();
    expect(await seen(page.locator('.bubble'))).toBe('Hello there');
    await takePicture(page, 'answer');
  });

  it('takes what is written before the card has come', async () => {
    const page = await openPage(server.url);
    await page.route('**/agent-card.json', async (route) => {
      await pause(1_500);
      await route.continue();
    });
    await page.reload();
    await send(page, 'Early words');
    await page.locator('.figures').waitFor();
    await page.locator('#agent-facts', { hasText: 'typed answers' }).waitFor({ state: 'attached' });
    expect(await seen(page.locator('.bubble'))).toBe('Early words');
    expect(await seen(answers(page))).toMatch(demoAnswer('Early words'));
  });

  it('folds a tool call open to its input and its result', async () => {
    const page = await openPage(server.url);
    await send(page, '/tool nine words');
    const tool = page.locator('details.tool');
    await tool.locator('.badge.ok').waitFor();
    expect(await tool.locator('pre').first().isVisible()).toBe(false);
    await tool.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await seen(tool.locator('pre.json'))).toContain('"text": "nine words"');
    expect(await seen(tool.locator('pre.result'))).toBe('10 characters');
    await takePicture(page, 'tool-call');
  });

  it('shows a typed result with every digit, and hands out its bytes', async () => {
    const page = await openPage(server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByText('Typed', { exact: true }).click();
    await page.selectOption('#example', { label: 'An exact number' });
    await page.press('#prompt', 'Enter');
    const result = page.locator('.artifact.typed');
    await result.waitFor();
    expect(await seen(result.locator('pre'))).toContain('"id": 9007199254740993');
    await takePicture(page, 'typed-result');

    await result.getByRole('button', { name: 'Copy' }).click();
    await result.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('"id":9007199254740993');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      result.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(copied);
  });

  it('says where a schema is wrong before anything is sent, and shows what the server refuses', async () => {
    const page = await openPage(server.url);
    await page.getByText('Typed', { exact: true }).click();
    await page.fill('#schema', '{\n  "type": "object",\n}');
    expect(await seen(page.locator('#schema-note'))).toMatch(/^Line 3, column 1: expected a name/);
    await send(page, 'Anything');
    expect(await page.locator('.bubble').count()).toBe(0);
    await page.fill('#schema', '{"type": "objekt"}');
    await page.press('#prompt', 'Enter');
    expect(await seen(page.locator('.failure strong'))).toBe('SCHEMA_INVALID');
  });

  it('goes on where it was when the connection is cut', async () => {
    const proxy = await startProxy(server.url);
    const page = await openPage(proxy.url);
    complaintsAreMeant(page);
    await send(page, 'Tell me all of it');
    await answers(page).waitFor();
    proxy.cut({ refuse: true });
    await page.locator('#lost').waitFor();
    await takePicture(page, 'connection-lost');
    proxy.mend();
    await page.locator('.figures').waitFor();
    expect(await seen(answers(page))).toMatch(demoAnswer('Tell me all of it'));
    expect(await page.locator('#lost').isVisible()).toBe(false);
  });

  it('lists the sessions, and replays one that is opened again', async () => {
    const page = await openPage(server.url);
    await send(page, '/tool first of two');
    await page.locator('.figures').waitFor();
    await send(page, 'second of two');
    await page.locator('.figures').nth(1).waitFor();
    const shown = await seen(page.locator('#log'));
    await page.reload();
    await page.locator('.figures').nth(1).waitFor();
    expect(await seen(page.locator('#log'))).toBe(shown);

    await page.getByRole('button', { name: 'New session' }).click();
    expect(await seen(page.locator('#log'))).toBe('');
    await page.locator('#sessions button', { hasText: 'second of two' }).click();
    await page.locator('.figures').nth(1).waitFor();
    expect(await seen(page.locator('#log'))).toBe(shown);
    expect(await seen(page.locator('#sessions [aria-current]'))).toMatch(/second of two.*2 requests/s);
  });

  it('shows a question and sends the answer to it', async () => {
    const page = await openPage(server.url);
    await send(page, '/ask Which colour?');
    await page.locator('.question').waitFor();
    expect(await page.getAttribute('#prompt', 'placeholder')).toBe('Answer the agent');
    await send(page, 'Blue');
    await page.locator('.figures').waitFor();
    expect(await page.locator('.bubble').allInnerTexts()).toEqual(['/ask Which colour?', 'Blue']);
    expect(await seen(answers(page))).toContain('“Blue”');
    await page.reload();
    await page.locator('.figures').waitFor();
    expect(await page.locator('.bubble').allInnerTexts()).toEqual(['/ask Which colour?', 'Blue']);
  });

  it('stops what runs, and shows a failure', async () => {
    const page = await openPage(server.url);
    await send(page, '/wait 60');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.failure.canceled', { hasText: 'CANCELED' }).waitFor();
    await page.locator('#stop').waitFor({ state: 'hidden' });
    await send(page, '/fail on purpose');
    expect(await seen(page.locator('.failure:not(.canceled)'))).toMatch(/^AGENT_FAILED\s+on purpose$/);
  });

  it('hands out a file', async () => {
    const page = await openPage(server.url);
    await send(page, '/file my notes');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.artifact').getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('demo.txt');
    expect(await readFile(await download.path(), 'utf8')).toBe('my notes\n');
  });

  it('can be used by keyboard alone', async () => {
    const page = await openPage(server.url);
    await page.locator('#new-session').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('By hand');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('in two lines');
    await page.keyboard.press('Enter');
    await page.locator('.figures').waitFor();
    expect(await seen(page.locator('.bubble'))).toBe('By hand\nin two lines');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#schema').isVisible()).toBe(true);
  });

  it.each([
    ['narrow-light', { viewport: { width: 360, height: 720 }, colorScheme: 'light' }],
    ['narrow-dark', { viewport: { width: 360, height: 720 }, colorScheme: 'dark' }],
    ['wide-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ] as const)('fits a screen that is %s', async (name, options) => {
    const page = await openPage(server.url, options);
    await send(page, `/tool ${'averyveryverylongword'.repeat(12)}`);
    await page.locator('.figures').waitFor();
    await page.locator('details.tool summary').click();
    const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
    );
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    const light = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(light).toBe(name.endsWith('light') ? 'rgb(247, 246, 243)' : 'rgb(19, 19, 18)');
    await takePicture(page, name);
    if (options.viewport.width > 800) return;
    expect(await page.locator('#sessions').isVisible()).toBe(false);
    await page.locator('#menu').click();
    await page.locator('#sessions button').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#sessions').isVisible()).toBe(false);
  });
});

withBrowser('what an agent says', () => {
  it('is never HTML', async () => {
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const agent = await startServer({
      agent: 'command',
      options: {
        command: ['sh', '-c', `cat >/dev/null; printf '%s' "$EVIL"; printf '%s' "$EVIL" >&2`],
        env: { EVIL: evil },
      },
    });
    const page = await openPage(agent.url);
    await send(page, evil);
    await page.locator('.figures').waitFor();
    expect(await seen(answers(page))).toBe(evil);
    expect(await seen(page.locator('.bubble'))).toBe(evil);
    await page.locator('.aside summary').click();
    expect(await seen(page.locator('.raw'))).toBe(evil);
    expect(await page.locator('#log img, #log script').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
  });
});

withBrowser('a server that asks who one is', () => {
  const token = 'a-token-of-at-least-128-random-bits-0123456789';

  it.each([
    { auth: 'bearer', secret: token, wrong: [['Token', 'nonsense-nonsense']], right: [['Token', token]] },
    {
      auth: 'api-key',
      secret: token,
      wrong: [['API key', 'nonsense-nonsense']],
      right: [['API key', token]],
    },
    {
      auth: 'basic',
      secret: 'ada:a long pässword',
      wrong: [
        ['Name', 'ada'],
        ['Password', 'nonsense'],
      ],
      right: [
        ['Name', 'ada'],
        ['Password', 'a long pässword'],
      ],
    },
  ])('is given a credential ($auth), and the page works as ever', async ({ auth, secret, wrong, right }) => {
    const guarded = await startServer({ flags: ['--auth', auth], env: { KEDI_A2A_SECRET: secret } });
    const page = await openPage(guarded.url);
    complaintsAreMeant(page);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await takePicture(page, `credential-${auth}`);
    const enter = async (fields: readonly (readonly string[])[]): Promise<void> => {
      for (const [label = '', value = ''] of fields) await dialog.getByLabel(label).fill(value);
      await dialog.getByRole('button', { name: 'Go on' }).click();
    };
    await enter(wrong);
    await dialog.getByText('That was not accepted.').waitFor();
    await enter(right);
    await dialog.waitFor({ state: 'hidden' });
    await send(page, 'Who am I?');
    await page.locator('.figures').waitFor();
    expect(await seen(answers(page))).toMatch(demoAnswer('Who am I\\?'));
    await page.locator('#sessions button', { hasText: 'Who am I?' }).waitFor();
    expect(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
    ).not.toContain(Object.values(right).at(-1));
  });
});

withBrowser('the EventSource of a browser', () => {
  it('reads a chat, comes back after a cut where it was, and stops at its end', async () => {
    const proxy = await startProxy(server.url);
    const page = await openPage(proxy.url);
    complaintsAreMeant(page);
    await send(page, 'Read by an EventSource');
    const id = await commandOf(page);
    const reading = page.evaluate<{ ids: string[]; text: string; opened: number }>(`
      new Promise((resolve) => {
        const seen = { ids: [], text: '', opened: 0 };
        const source = new EventSource('/api/v1/agent-output/chat?command_id=${id}&replay=true');
        source.onopen = () => { seen.opened += 1; };
        source.addEventListener('delta', (event) => {
          seen.ids.push(event.lastEventId);
          seen.text += JSON.parse(event.data).content;
        });
        source.addEventListener('done', (event) => seen.ids.push(event.lastEventId));
        source.onerror = () => { if (source.readyState === EventSource.CLOSED) resolve(seen); };
      })
    `);
    await new Promise((resolve) => setTimeout(resolve, 200));
    proxy.cut();
    const { ids, text, opened } = await reading;
    expect(text).toMatch(demoAnswer('Read by an EventSource'));
    expect(opened).toBe(2);
    expect(ids.map((each) => each.slice(each.lastIndexOf('-') + 1))).toEqual(
      ids.map((_, seq) => String(seq)),
    );
  });
});

/** The command that the page follows, as the list of sessions has it. */
async function commandOf(page: Page): Promise<string> {
  await page.locator('#sessions [aria-current]').waitFor();
  const id = new URL(page.url()).hash.split('/').at(-1);
  const response = await page.request.get(`/api/v1/sessions/${id}`);
  return String((await response.json()).command_id);
}
