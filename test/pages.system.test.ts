import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { byLength } from './support/test-length.ts';
import { accessibilityFaults, everyView, leavePage, openWatched, overflow, type WatchedPage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let requestId: string;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, 'svc-properties': '{"Environment": "production"}' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  requestId = response.headers.get('svc-id') ?? '';
  await apiClient(service.api).stored(requestId);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

/** The renderer keeps in the page only the endpoints that are near the window. */
const loaded = '.operations-virtual .opblock';

/** Each width and each scheme once: the reference is long, and axe reads all of it. */
const two = everyView.filter(({ width, colorScheme }) => (width === 1280) === (colorScheme === 'light')).slice(0, byLength(1, 2));

describe.each(two)('at $width pixels, $colorScheme', (view) => {
  it.each([
    ['/ of the gateway', () => `${service.gateway}/`, 'h1'],
    ['/about of the API', () => `${service.api}/about`, 'h1'],
    ['the list of pages', () => `${service.api}/docs/guides`, 'article table'],
    ['a guide', () => `${service.api}/docs/guides/querying`, 'article pre'],
  ])('%s is readable for everybody and asks nobody else', async (_name, address, part) => {
    const watched = await openWatched(browser, address(), view);
    expect(await faultsOf(watched, part)).toEqual(none);
    await leavePage(watched.page);
  });
});

/** Those of the reference, without an open endpoint and with one. */
async function faultsOfReference(watched: WatchedPage): Promise<readonly Faults[]> {
  const closed = await faultsOf(watched, loaded);
  const opened = await open(watched.page, '#operations-Requests-queryRequests');
  return [closed, await faultsOf(watched, `${opened}.is-open .responses-wrapper`)];
}

const none = { inaccessible: [], pixelsBeyond: 0, complaints: [] };
type Faults = Record<keyof typeof none, unknown>;

/** @param part is there once the page is whole. */
async function faultsOf(watched: WatchedPage, part: string): Promise<Faults> {
  await watched.page.waitForSelector(part);
  const inaccessible = await accessibilityFaults(watched);
  const pixelsBeyond = Math.max(0, await overflow(watched));
  return { inaccessible, pixelsBeyond, complaints: watched.complaints };
}

describe('the reference', () => {
  // It takes seconds to be drawn; the first view goes on below.
  it.each(two.slice(1))('is good at $width pixels, $colorScheme', async (view) => {
    const watched = await openWatched(browser, `${service.api}/docs`, view);
    expect(await faultsOfReference(watched)).toEqual([none, none]);
    await leavePage(watched.page);
  });

  it('is readable for everybody, finds endpoints by words, calls the service with the key that is typed in, and keeps the key nowhere', async () => {
    const watched = await openWatched(browser, `${service.api}/docs`, { width: 1280, colorScheme: 'light' });
    const { page, complaints, requests } = watched;
    expect(await faultsOfReference(watched)).toEqual([none, none]);
    // Words of a path.
    await page.fill('.operation-filter-input', 'redaction');
    await page.waitForSelector('#operations-Requests-queryRequests', { state: 'detached' });
    const found = await page.locator('.opblock-summary-path').allTextContents();
    expect(found.map((text) => text.replaceAll('\u200B', ''))).toEqual(['/v1/redaction-rules', '/v1/redaction-rules']);
    await page.fill('.operation-filter-input', 'query-clickhouse');
    await enterKey(page);

    // It is open from before.
    const { status, body } = await execute(page, '#operations-Requests-queryRequests');
    expect(status).toBe('200');
    expect(JSON.parse(body)).toMatchObject({ data: [{ request_id: requestId, properties: { Environment: 'production' } }], error: null });
    await page.fill('.operation-filter-input', 'Get the limits of the organisation');
    expect(await execute(page, await open(page, '#operations-Settings-getRateLimits'))).toMatchObject({ status: '200' });

    const calls = requests.filter((request) => new URL(request.url()).pathname.startsWith('/v1/'));
    expect(await Promise.all(calls.map(async (call) => [call.method(), await call.headerValue('authorization')]))).toEqual([
      ['POST', `Bearer ${testKey}`],
      ['GET', `Bearer ${testKey}`],
    ]);
    expect(requests.filter((request) => request.url().includes(testKey))).toEqual([]);
    expect(page.url()).not.toContain(testKey);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).toBe('[{},{},""]');
    expect(complaints).toEqual([]);

    // The address has kept which endpoint was open.
    await page.reload();
    expect(await execute(page, '#operations-Settings-getRateLimits')).toMatchObject({ status: '401' });
    await leavePage(page);
  });
});

it('every link of every page leads to a page and a heading that exist', async () => {
  const served = Object.keys(JSON.parse(readFileSync('dist/pages/files.json', 'utf8')) as object);
  const pages = served.filter((name) => !/^(?:\/docs)?\/assets\//.test(name));
  const texts = new Map<string, Promise<string>>();
  const textOf = (address: string): Promise<string> => {
    const known = texts.get(address) ?? fetch(address).then(async (response) => (response.ok ? response.text() : `${response.status}`));
    texts.set(address, known);
    return known;
  };
  const broken: string[] = [];
  for (const path of pages) {
    const text = await textOf(service.api + path);
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const to = new URL(href.replaceAll('&amp;', '&'), service.api + path);
      if (to.origin !== service.api) continue;
      const target = await textOf(to.origin + to.pathname);
      const hasHeading = to.hash === '' || target.includes(`id="${decodeURIComponent(to.hash.slice(1))}"`);
      if (/^\d{3}$/.test(target) || !hasHeading) broken.push(`${path} → ${href}`);
    }
  }
  expect(broken).toEqual([]);
  expect(pages.length).toBeGreaterThan(30);
});

async function enterKey(page: Page): Promise<void> {
  await page.click('.btn.authorize');
  await page.fill('.auth-container input', testKey);
  await page.click('.auth-btn-wrapper .authorize');
  await page.click('.auth-btn-wrapper .btn-done');
}

/** By the keyboard. */
async function open(page: Page, operation: string): Promise<string> {
  await page.locator(`${operation} .opblock-summary-control`).press('Enter');
  return operation;
}

/** Executes an open endpoint as it stands. */
async function execute(page: Page, operation: string): Promise<{ readonly status: string; readonly body: string }> {
  await page.waitForSelector(`${operation}.is-open .responses-wrapper`);
  await page.click(`${operation} .btn.execute`);
  const answer = page.locator(`${operation} .live-responses-table .response`);
  await answer.waitFor();
  const [status = ''] = (await answer.locator('.response-col_status').innerText()).split('\n');
  return { status, body: await answer.locator('.highlight-code code').first().innerText() };
}
