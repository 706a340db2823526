import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { expectGoodPage, openSignedIn } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { accessibilityFaults, leavePage, openWatched, overflow, views } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let newest: string;
/** Characters that an address has to escape. */
const sessionId = 'order 4711/%?#';

/** Markup, a script, and characters that turn the direction of a text or cannot be seen. */
const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202Eabc\u2066\u200B';

/** Headers take no other characters. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function send(message: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: message }] }),
  });
  return response.headers.get('svc-id') ?? '';
}

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  for (let sent = 0; sent < 3; sent += 1) {
    await send('Where is my order?', { 'svc-properties': '{"Team": "search"}', 'svc-user-id': 'ann' });
  }
  for (const path of ['/', '/plan', '/plan/search']) {
    const session = { 'svc-session-id': sessionId, 'svc-session-name': '<b>Orders</b>', 'svc-session-path': path };
    await send('Where is my order?', { ...session, 'svc-user-id': 'carla' });
  }
  newest = await send(hostile, { 'svc-properties': asciiJson({ Team: 'checkout', [hostile]: hostile }), 'svc-user-id': 'ben' });
  await apiClient(service.api).stored(newest);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const rows = '[role=grid] [role=rowgroup] [role=row]';
const desktop = { width: 1280, colorScheme: 'light' } as const;

async function signIn(page: Page, key = testKey): Promise<void> {
  await page.fill('input[name=key]', key);
  await page.keyboard.press('Enter');
}

async function count(page: Page): Promise<string> {
  return (await page.locator('header p').first().innerText()).trim();
}

/** The parts of pages that are there once they are whole. Pages of alerts have tests of their own. */
const pages = (): readonly (readonly [address: string, part: string])[] => [
  ['/?range=1h', '[role=img]'],
  ['/?range=1h&by=properties.Team', '[role=img]'],
  [`/requests?request=${newest}`, '[aria-label=Conversation]'],
  ['/requests?builder=true&q=Team%3Asearch', '[role=grid]'],
  ['/sessions', 'table'],
  [`/sessions/${encodeURIComponent(sessionId)}`, rows.replace('grid', 'treegrid')],
  [`/sessions/${encodeURIComponent(sessionId)}?tab=conversation`, '[aria-label="Conversation 1"]'],
  [`/sessions/${encodeURIComponent(sessionId)}?tab=timeline`, rows.replace('grid', 'treegrid')],
  ['/explore?range=1h&by=%5B%22properties.Team%22%5D', '[role=img]'],
  ['/boards', 'h1'],
  ['/properties?name=Team', 'table'],
  ['/users', 'table'],
  ['/users/ann', '[role=img]'],
  ['/webhooks', 'h2'],
  ['/webhooks/new', 'form[aria-label=Webhook]'],
  ['/keys', 'table'],
  ['/provider-keys', 'h2'],
  ['/people', 'h2'],
  ['/audit', 'table'],
  ['/prices?q=gpt-4o', 'table'],
  ['/limits', 'h2'],
  ['/data', 'form'],
  ['/health', 'dl'],
  ['/start', 'pre'],
  ['/settings', 'dl'],
];

describe.each(views)('at $width pixels, $colorScheme', (view) => {
  it('every page is readable for everybody, asks nobody else, and asks the API at most four times', async () => {
    const watched = await openWatched(browser, `${service.api}/requests`, view);
    const { page, complaints } = watched;
    await page.waitForSelector('input[name=key]');
    expect(await accessibilityFaults(watched)).toEqual([]);
    expect(await overflow(watched)).toBeLessThanOrEqual(0);
    await signIn(page);
    await page.waitForSelector(rows);
    for (const [address, part] of pages()) await expectGoodPage(watched, { address: service.api + address, part });
    expect(complaints).toEqual([]);
    await leavePage(page);
  });
});

it('a key signs in, is kept by no script, and leads to the page that was asked for', async () => {
  const { page, complaints } = await openWatched(browser, `${service.api}/requests?q=Team%3Asearch`, desktop);
  await page.waitForSelector('input[name=key]');
  await signIn(page, 'sk-svc-us-nobody');
  await page.getByText('unknown').first().waitFor();
  const refusals = complaints.length;
  await signIn(page);
  await page.waitForSelector(rows);
  await expect.poll(() => count(page)).toBe('3 requests');
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain(testKey);
  expect(complaints.slice(refusals)).toEqual([]);
  await leavePage(page);
});

it('each series of a chart has a colour of its own, also with reduced motion', async () => {
  const view = { ...desktop, reducedMotion: 'reduce' } as const;
  const { page } = await openSignedIn(
    browser,
    `${service.api}/explore?range=1h&metrics=%5B%22cost%22%5D&by=%5B%22properties.Team%22%5D`,
    view,
  );
  await page.locator('main ul li i').nth(2).waitFor();
  const colors = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('main ul li i')].map((mark) => getComputedStyle(mark).backgroundColor)",
  );
  expect(new Set(colors).size).toBe(colors.length);
  await leavePage(page);
});

it('what callers sent is shown as it is and never runs', async () => {
  const { page, complaints } = await openSignedIn(browser, `${service.api}/requests?request=${newest}`);
  const conversation = page.locator('[aria-label=Conversation]');
  await conversation.waitFor();
  await expect.poll(() => conversation.innerText()).toContain('<script>document.title=1</script>');
  await expect.poll(() => page.locator('aside dt', { hasText: 'onerror' }).count()).toBe(1);
  expect(await page.title()).toBe('Gatelog');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a search says what it means, finds, and is in the address; a fault says where', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/requests`);
  await page.waitForSelector(rows);
  await page.keyboard.press('/');
  await page.keyboard.type('Team:search -user:ben');
  await page.getByText('property "Team" is "search" and user is not "ben"').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('3 requests').waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('Team:search -user:ben');
  await page.fill('input[type=search]', 'status:high');
  await page.getByText('status takes a number').waitFor();
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).searchParams.get('q')).toBe('Team:search -user:ben');
  await page.getByText('Previous search: 3 requests').waitFor();
  await page.fill('input[type=search]', 'Taem:search usre:ben');
  await page.getByText('Previous search').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Did you mean user?' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('Taem:search user:ben');
  await page.goBack();
  await page.goBack();
  await page.getByText('7 requests').waitFor();
  await leavePage(page);
});

it.each([
  ['/requests', { range: 'constructor', sort: 'toString', tab: '__proto__', columns: '["__proto__","constructor"]', pinned: '1e9' }],
  ['/requests', { from: 'NaN', to: '1e308', q: '(((' }],
  ['/', { by: '__proto__', from: '1e300' }],
  ['/explore', { metrics: '["constructor"]', by: '["__proto__"]', top: '1e9' }],
  ['/sessions', { q: 'true', name: '404', sort: '5' }],
  ['/alerts/new', { metric: '__proto__', by: '["__proto__"]', threshold: '1e400', minutes: '-5' }],
] as const)('an address with what nobody can read opens its page all the same: %s %j', async (path, search) => {
  const { page, complaints } = await openSignedIn(browser, `${service.api}${path}?${new URLSearchParams(search).toString()}`);
  await page.locator('main h1').waitFor();
  // What the service refuses is said on the page, and by the browser.
  expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  await leavePage(page);
});

it('the list is operated by the keyboard alone', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/requests`);
  await page.waitForSelector(rows);
  await page.focus('[role=grid]');
  await page.keyboard.press('j');
  await page.waitForURL(/request=/);
  await page.keyboard.press('j');
  const opened = page.locator('[role=row][aria-selected=true]');
  await expect.poll(() => opened.getAttribute('aria-rowindex')).toBe('3');
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('request'));
  await leavePage(page);
});

it('a session that ended on the server leads to the sign-in, and back', async () => {
  const { page } = await openWatched(browser, `${service.api}/requests`, desktop);
  await page.waitForSelector('input[name=key]');
  await signIn(page);
  await page.waitForSelector(rows);
  await page.evaluate("fetch('/v1/session-cookie', { method: 'DELETE', headers: { 'Svc-Csrf': '1' } })");
  await page.reload();
  await page.waitForSelector('input[name=key]');
  await signIn(page);
  await page.waitForSelector(rows);
  expect(new URL(page.url()).pathname).toBe('/requests');
  await leavePage(page);
});

it('a session is found by its name, opened as a trace, and leads to its requests and back', async () => {
  const { page, complaints } = await openSignedIn(browser, `${service.api}/sessions?sort=total_cost`);
  await page.waitForSelector('table');
  await page.getByLabel('Search sessions by name or identifier').fill('orders');
  await page.keyboard.press('Enter');
  await page.waitForURL(/name=orders/);
  await page.getByRole('link', { name: '<b>Orders</b>' }).click();
  await steps(page).nth(3).waitFor();
  expect(await firstWords(page)).toEqual([
    ['1', 'x'],
    ['', 'plan'],
    ['2', 'x'],
    ['3', 'search'],
  ]);
  const panel = page.getByRole('complementary', { name: 'Step' });
  await panel.getByText('step 1 of 3').waitFor();
  await page.getByRole('tab', { name: 'Conversation' }).first().click();
  await page.getByRole('region', { name: '3: /plan/search, x' }).getByText('Where is my order?').first().waitFor();
  await page.getByRole('tab', { name: 'Steps' }).click();
  await steps(page).nth(3).click();
  await panel.getByText('step 3 of 3').waitFor();
  await panel.getByText('Where is my order?').first().waitFor();
  await panel.getByRole('link', { name: 'Open in Requests' }).click();
  await page.locator('[aria-label=Conversation]').waitFor();
  await expect.poll(() => count(page)).toBe('3 requests');
  await page.goBack();
  await panel.getByText('step 3 of 3').waitFor();
  await page.goBack();
  await panel.getByText('step 1 of 3').waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

const steps = (page: Page) => page.locator('[role=treegrid] [role=rowgroup] [role=row]');

/** Of each row the number and what it is, without the icon. */
async function firstWords(page: Page): Promise<readonly (readonly string[])[]> {
  const each = await steps(page).all();
  return Promise.all(
    each.map(async (row) => {
      const cells = row.getByRole('gridcell');
      return [await cells.nth(0).innerText(), await cells.nth(1).locator('[dir=auto]').first().innerText()];
    }),
  );
}

it('the steps of a session are operated by the keyboard alone, from the moment the page is there', async () => {
  const { page, complaints } = await openSignedIn(browser, `${service.api}/sessions/${encodeURIComponent(sessionId)}`);
  const panel = page.getByRole('complementary', { name: 'Step' });
  await panel.getByText('step 1 of 3').waitFor();
  await page.keyboard.press('j');
  await panel.getByRole('heading', { name: 'plan' }).waitFor();
  await page.keyboard.press('j');
  await panel.getByText('step 2 of 3').waitFor();
  await page.keyboard.press('k');
  await panel.getByText('steps 2 to 3').waitFor();
  await page.focus('[role=treegrid]');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => steps(page).count()).toBe(2);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => steps(page).count()).toBe(4);
  await page.keyboard.press('End');
  await panel.getByText('step 3 of 3').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('treegrid');
  await page.keyboard.press('/');
  await page.keyboard.type('search');
  await expect.poll(() => steps(page).count()).toBe(1);
  await page.getByText('1 of 3 steps').waitFor();
  await page.keyboard.type(' nothing of it');
  await page.getByRole('heading', { name: 'No step matches' }).waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.poll(() => steps(page).count()).toBe(4);
  expect(complaints).toEqual([]);
  await leavePage(page);
});
