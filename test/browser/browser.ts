import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no browser here; undefined where there is one. The line is what CI looks for. */
export const withoutBrowser = existsSync(executablePath)
  ? undefined
  : `no Chromium at ${executablePath} (Debian: apt-get install chromium)`;
if (withoutBrowser !== undefined) console.log(`SKIPPED: ${withoutBrowser}`);

let browser: Promise<Browser> | undefined;

const troubled = new WeakSet<Page>();

/** The test breaks connections of this page, and a browser says so. */
export const complaintsAreMeant = (page: Page): void => {
  troubled.add(page);
};

/** A page of its own in the one browser of a file; what it complains about (a blocked script, an error) fails the test. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const context = await (await browser).newContext({ baseURL: new URL(url).origin, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    if (complaints.length > 0 && !troubled.has(page))
      throw new Error(`the page complained:\n${complaints.join('\n')}`);
  });
  await page.goto(url);
  return page;
}

/** The text of an element as a person sees it, line breaks included; it waits until there is one. */
// biome-ignore lint/performance/useDomNodeTextContent: what is seen is what is tested.
export const seen = (locator: Locator): Promise<string> => locator.innerText();

afterAll(async () => {
  await (await browser)?.close();
});

const pictures = fileURLToPath(new URL('../../test-output/browser/', import.meta.url));

/** Keeps a picture of the page for people to look at; CI keeps the folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}${name}.png`, fullPage: false });
}
