import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { openSignedIn, signIn } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { accessibilityFaults, leavePage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;

/** Of a request that is stored. */
let requestId: string;
let alertId: string;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${testKey}`,
      'svc-session-id': 'nightly-7',
      'svc-session-name': 'Nightly export',
      'svc-user-id': 'ann@example.com',
      'svc-prompt-id': 'greeting-letter',
    },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Where is my order?' }] }),
  });
  requestId = response.headers.get('svc-id') ?? '';
  const api = apiClient(service.api);
  await api.stored(requestId);
  const rule = { name: 'Cost an hour', metric: 'cost', threshold: 100, time_window: 3_600_000 };
  alertId = (await api.call<{ readonly id: string }>('POST', '/v1/alerts', rule)).body.data.id;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

function heading(page: Page, name: string): Locator {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

function pathOf(page: Page): string {
  return new URL(page.url()).pathname;
}

it('j and k go through the rows of a list, and Enter opens one', async () => {
  const board = { time_range: { last: '7d' }, panels: [{ title: 'Cost', chart: 'table', metrics: ['cost'], by: ['model'] }] };
  for (const name of ['First', 'Second', 'Third']) await apiClient(service.api).call('POST', '/v1/boards', { ...board, name });
  const { page } = await openSignedIn(browser, `${service.api}/boards`);
  const rows = page.getByRole('rowheader').getByRole('link');
  await expect.poll(() => rows.count()).toBe(3);
  const names = await rows.allTextContents();
  for (const key of ['j', 'j', 'j', 'j', 'k']) await page.keyboard.press(key);
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(names[1]);
  await page.keyboard.press('Enter');
  await heading(page, names[1] ?? '').waitFor();
  await leavePage(page);
});

describe('the keys of pages, `g` and a letter', () => {
  it('open a page from anywhere on another one', async () => {
    const { page } = await openSignedIn(browser, `${service.api}/keys`);
    await heading(page, 'Keys').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await expect.poll(() => pathOf(page)).toBe('/explore');
    await leavePage(page);
  });

  it('are text in the search of the palette', async () => {
    const { page } = await openSignedIn(browser, `${service.api}/keys`);
    await heading(page, 'Keys').waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog').getByRole('searchbox');
    await search.waitFor();
    // Of the letters behind a `g`, `e`, `s` and `p` would open a page each.
    await page.keyboard.type('gegsgp');
    expect({ text: await search.inputValue(), path: pathOf(page) }).toEqual({ text: 'gegsgp', path: '/keys' });
    await leavePage(page);
  });

  it('find pages in a palette that is readable for everybody', async () => {
    const watched = await openSignedIn(browser, `${service.api}/keys`);
    const { page } = watched;
    await heading(page, 'Keys').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    expect(await accessibilityFaults(watched)).toEqual([]);
    const list = page.getByRole('region', { name: 'Found' });
    for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowDown');
    const [place, chosen] = [await list.boundingBox(), await list.locator('[role=option][data-focused]').boundingBox()];
    expect(chosen?.y).toBeLessThan((place?.y ?? 0) + (place?.height ?? 0));
    await leavePage(page);
  });

  it('are text in the search of a picker', async () => {
    const { page } = await openSignedIn(browser, `${service.api}/`);
    await page
      .getByRole('button', { name: /^Split by/ })
      .first()
      .click();
    const search = page.getByRole('dialog').getByRole('searchbox');
    await search.waitFor();
    await page.keyboard.type('agegs');
    expect({ text: await search.inputValue(), path: pathOf(page) }).toEqual({ text: 'agegs', path: '/' });
    await leavePage(page);
  });

  it('choose from an open list that has no search', async () => {
    const { page } = await openSignedIn(browser, `${service.api}/settings`);
    await page.getByRole('main').getByRole('button', { name: /Theme/ }).click();
    await page.getByRole('listbox').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    expect(pathOf(page)).toBe('/settings');
    await leavePage(page);
  });
});

describe('the palette', () => {
  it('finds sessions, users, prompts, requests and alerts, and opens what is chosen', async () => {
    const { page, complaints } = await openSignedIn(browser, `${service.api}/keys`);
    await heading(page, 'Keys').waitFor();
    for (const [text, option, path] of [
      ['nightly ex', 'Nightly export', '/sessions/nightly-7'],
      ['ann@exa', 'ann@example.com', '/users/ann@example.com'],
      ['ting-let', 'greeting-letter', '/requests'],
      ['cost an ho', 'Cost an hour', `/alerts/${alertId}`],
      [requestId, requestId, '/requests'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('searchbox').fill(text);
      await page.getByRole('option', { name: option }).first().waitFor();
      await page.getByRole('dialog').getByText('Searching …').waitFor({ state: 'detached' });
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => decodeURIComponent(url.pathname) === path);
    }
    await page.getByRole('complementary', { name: 'Request' }).getByText('Where is my order?').first().waitFor();
    expect(complaints).toEqual([]);
    await leavePage(page);
  });

  it('says that nothing matches', async () => {
    const watched = await openSignedIn(browser, `${service.api}/keys`);
    const { page } = watched;
    await heading(page, 'Keys').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('searchbox').fill('nobody has it');
    await page.getByText('Nothing matches “nobody has it”.').waitFor();
    expect(await accessibilityFaults(watched)).toEqual([]);
    await leavePage(page);
  });
});

describe('the time range', () => {
  it('stays while one goes from page to page, by links, keys and the palette, also over a page without one', async () => {
    const { page, complaints } = await openSignedIn(browser, `${service.api}/?range=7d`);
    const rangeOf = (): string | null => new URL(page.url()).searchParams.get('range');
    const shown = (range: string) => page.getByRole('main').getByRole('button', { name: range }).first();
    await shown('Time: Last 7 days').waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Requests' }).click();
    await heading(page, 'Requests').waitFor();
    await shown('Time: Last 7 days').waitFor();
    expect(rangeOf()).toBe('7d');
    await pages.getByRole('link', { name: 'Keys', exact: true }).click();
    await heading(page, 'Keys').waitFor();
    expect(rangeOf()).toBeNull();
    await page.keyboard.type('gu');
    await heading(page, 'Users').waitFor();
    expect(rangeOf()).toBe('7d');
    await shown('Time: Last 7 days').click();
    await page.getByRole('dialog', { name: 'Time' }).getByRole('button', { name: 'Last hour' }).click();
    await shown('Time: Last hour').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('searchbox').fill('Open Sessions');
    await page.getByRole('option', { name: 'Open Sessions' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Sessions').waitFor();
    expect(rangeOf()).toBe('1h');
    expect(complaints).toEqual([]);
    await leavePage(page);
  });
});

describe('on a phone', () => {
  const phone = { width: 390, colorScheme: 'light' } as const;

  it('a field has letters of 16 pixels, so that a phone does not zoom into it', async () => {
    const { page } = await openSignedIn(browser, `${service.api}/requests`, phone);
    await page.getByLabel('Search requests').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('input[type=search]')).fontSize")).toBe('16px');
    await leavePage(page);
  });

  it('the pages are in a menu, whose links are as tall as a thumb needs and close it', async () => {
    const watched = await openSignedIn(browser, `${service.api}/keys`, phone);
    const { page } = watched;
    await heading(page, 'Keys').waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    for (const button of await page.getByRole('button').all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('dialog', { name: 'Menu' });
    await menu.getByRole('link', { name: 'Overview' }).waitFor();
    const links = await menu.getByRole('link').all();
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await accessibilityFaults(watched)).toEqual([]);
    await menu.getByRole('link', { name: 'Webhooks' }).click();
    await heading(page, 'Webhooks').waitFor();
    await expect.poll(() => menu.count()).toBe(0);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.count()).toBe(0);
    await leavePage(page);
  });
});

it('the documentation and the first call are a link away from every page', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/keys`);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect.poll(() => pages.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe('/docs/guides');
  await pages.getByRole('link', { name: 'First call' }).click();
  await page.waitForURL(/start/);
  await leavePage(page);
});

describe('an address that leads nowhere', () => {
  it('is said so on a page of the dashboard, with a way back', async () => {
    const watched = await openSignedIn(browser, `${service.api}/nonsense?range=1h`);
    const { page } = watched;
    await heading(page, 'Page not found').waitFor();
    expect(await accessibilityFaults(watched)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
    await heading(page, 'Overview').waitFor();
    await leavePage(page);
  });

  it.each([
    ['/sessions/nobody-has-it', 'Session not found', 'All sessions'],
    ['/alerts/nobody-has-it', 'Alert not found', 'All alerts'],
    ['/boards/nobody-has-it', 'Board not found', 'All boards'],
    ['/webhooks/nobody-has-it', 'Webhook not found', 'All webhooks'],
  ])('%s: %s', async (path, title, back) => {
    const watched = await openSignedIn(browser, `${service.api}${path}`);
    const { page } = watched;
    await heading(page, title).waitFor();
    expect(await accessibilityFaults(watched)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: back }).click();
    await page.waitForURL((url) => url.pathname === path.replace('/nobody-has-it', ''));
    await leavePage(page);
  });
});

it('where a session has ended, the sign-in says so and leads back, and nothing fails', async () => {
  const { page, complaints } = await openSignedIn(browser, `${service.api}/keys`);
  await page.locator('main table').waitFor();
  expect(complaints).toEqual([]);
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('Your session has ended').waitFor();
  // The browser itself notes each refused answer.
  expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
  await signIn(page);
  await page.waitForURL((url) => url.pathname === '/webhooks');
  await leavePage(page);
});

it('who signs out is not told that the session has ended', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/keys`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForSelector('input[name=key]');
  await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0);
  await leavePage(page);
});

const patientMs = 5000;

it('without the service the dashboard stays, says so, and goes on once it is back', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/keys`);
  await page.locator('main table').waitFor();
  let refused = 0;
  await page.route('**/*', (route) => {
    refused += 1;
    return route.abort('connectionrefused');
  });
  await page.getByRole('link', { name: 'Prices' }).click();
  await heading(page, 'Offline').waitFor();
  const before = refused;
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.waitForURL(/requests/);
  // A part that is still on its way when the service is back loads the document anew, and nobody need try again.
  let counted = refused;
  const hasGivenUp = (): boolean => {
    const isQuiet = refused > before && refused === counted;
    counted = refused;
    return isQuiet;
  };
  await expect.poll(hasGivenUp, { interval: 1000 }).toBe(true);
  await heading(page, 'Offline').waitFor();
  await page.unroute('**/*');
  // A part that was on its way after all has loaded the document anew, and then there is nothing to press.
  const again = page.getByRole('button', { name: 'Try again' });
  await again.click({ timeout: patientMs }).catch(() => undefined);
  await heading(page, 'Requests').waitFor();
  expect(pathOf(page)).toBe('/requests');
  await leavePage(page);
});

it('the documentation has the colours, the type and the chosen theme of the dashboard', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/settings`);
  await heading(page, 'Settings').waitFor();
  const looks = (): Promise<unknown> =>
    page.evaluate(`(() => {
      const { color, fontFamily, fontSize } = getComputedStyle(document.body);
      const grounds = [document.body, document.documentElement].map((element) => getComputedStyle(element).backgroundColor);
      const ground = grounds.find((each) => each !== 'rgba(0, 0, 0, 0)');
      const link = getComputedStyle(document.body.appendChild(document.createElement('a'))).color;
      return { color, fontFamily, fontSize, ground, link };
    })()`);
  for (const theme of ['Light', 'Dark']) {
    await page.goto(`${service.api}/settings`);
    await page.getByRole('main').getByRole('button', { name: /Theme/ }).click();
    await page.getByRole('option', { name: theme }).click();
    const dashboard = await looks();
    for (const path of ['/docs', '/docs/guides']) {
      await page.goto(service.api + path);
      expect({ path, looks: await looks() }).toEqual({ path, looks: dashboard });
    }
  }
  await leavePage(page);
});
