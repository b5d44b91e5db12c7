import { describe, expect, it } from 'vitest';
import { startA2aHost } from '../support/a2a-host.js';

describe('the page', () => {
  it('is at the root with the files that it names, each with its type', async () => {
    const { url } = await startA2aHost();
    const page = await fetch(`${url}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    const named = [...html.matchAll(/(?:src|href)="(web\/[^"]+)"/g)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(2);
    const types = await Promise.all(
      named.map(async (path) => (await fetch(`${url}/${path}`)).headers.get('content-type')),
    );
    expect(types.sort()).toEqual([
      'image/svg+xml',
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
    ]);
  });

  it('may load nothing from elsewhere, run nothing inline, and stand in no frame', async () => {
    const { url } = await startA2aHost();
    const page = await fetch(`${url}/`);
    const policy = page.headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy?.join()).not.toContain('unsafe');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await page.text()).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?:\/\//);
  });

  it('is not sent again to a browser that has it', async () => {
    const { url } = await startA2aHost();
    const first = await fetch(`${url}/web/app.js`);
    const again = await fetch(`${url}/web/app.js`, {
      headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
    });
    expect([first.status, again.status]).toEqual([200, 304]);
    const head = await fetch(`${url}/web/app.js`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String((await first.arrayBuffer()).byteLength));
  });

  it.each([
    '/web/',
    '/web/index.html',
    '/web/../package.json',
    '/web/%2e%2e/package.json',
    '/web/nothing.js',
  ])('is all there is below /web: %s', async (path) => {
    const { url } = await startA2aHost();
    expect((await fetch(url + path)).status).toBe(404);
  });
});
