import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { expectGoodPage, openSignedIn } from './support/dashboard.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { leavePage, views } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let api: ApiClient;

const teams = ['search', 'search', 'checkout'];

async function send(team: string, user: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${testKey}`,
      'svc-property-team': team,
      'svc-user-id': user,
      'svc-session-id': `talk of ${user}`,
      'svc-session-name': `A talk with ${user}`,
      ...headers,
    },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Where is my order?' }] }),
  });
}

/** A call of a model that nobody has priced. */
async function logUnpriced(): Promise<void> {
  const at = { seconds: Math.floor(Date.now() / 1000) - 60, milliseconds: 0 };
  const meta = { 'Svc-User-Id': 'dora', 'Svc-Session-Id': 'talk of dora', 'Svc-Session-Name': 'A talk with dora' };
  await api.call('POST', '/v1/trace/custom/log', {
    providerRequest: { url: 'custom', json: { model: 'acme-9b', messages: [{ role: 'user', content: 'hello' }] }, meta },
    providerResponse: {
      json: { usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 } },
      status: 200,
      headers: {},
    },
    timing: { startTime: at, endTime: at },
  });
}

/** A call of a model that the provider does not have. */
async function importFailed(user: string, at = Date.now() - 60_000): Promise<void> {
  const record = {
    request_id: randomUUID(),
    request_created_at: new Date(at).toISOString(),
    provider: 'OPENAI',
    request_user_id: user,
    model: 'gone-1',
    response_status: 404,
    failure: { kind: 'status', type: 'model_not_found', message: 'The model `gone-1` does not exist.' },
    properties: { team: 'checkout' },
  };
  await apiClient(service.api).call('POST', '/v1/import', record);
}

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  api = apiClient(service.api);
  for (const [index, team] of teams.entries()) await send(team, index === 0 ? 'ann' : 'ben');
  await send('checkout', 'ben', { 'svc-prompt-id': 'greeting', 'svc-prompt-version': '2' });
  await importFailed('eve');
  await logUnpriced();
  await eventually('the calls', async () => ((await api.query('all')).length === teams.length + 3 ? true : undefined));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const open = (address: string) => openSignedIn(browser, service.api + address);
const dialog = (page: Page) => page.getByRole('dialog');

function searchOf(page: Page): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** The very time that the page counted. */
const counted = { from: expect.stringMatching(/^\d+$/) as unknown, to: expect.stringMatching(/^\d+$/) as unknown };

/** Calls of metrics while a page is opened. */
async function callsOf(page: Page, opened: () => Promise<void>): Promise<number> {
  let calls = 0;
  const count = (request: { readonly url: () => string }): void => {
    if (request.url().includes('/v1/metrics/')) calls += 1;
  };
  page.on('request', count);
  await opened();
  await page.waitForLoadState('networkidle');
  page.off('request', count);
  return calls;
}

it('Overview has what moved most first, asks for all its figures at once, and each leads to its requests', async () => {
  const { page, complaints } = await open('/settings');
  await page.locator('dl').first().waitFor();
  const calls = await callsOf(page, async () => {
    await page.goto(`${service.api}/?range=1h&moved=properties.team`);
    await page.locator('article [role=img]').first().waitFor();
  });
  expect(calls).toBe(1);
  const moved = page.getByRole('region', { name: 'What moved most' });
  const above = async (): Promise<number> => {
    const [table, chart] = await Promise.all([moved.boundingBox(), page.locator('article').first().boundingBox()]);
    return (chart?.y ?? 0) - (table?.y ?? 0);
  };
  await expect.poll(above).toBeGreaterThan(0);
  await moved.getByRole('link', { name: 'search', exact: true }).click();
  await page.getByText('2 requests').waitFor();
  expect(searchOf(page)).toEqual({ q: 'team:search', ...counted });
  await page.goBack();
  await moved.getByRole('link', { name: 'none', exact: true }).click();
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(searchOf(page)).toEqual({ q: 'team:""', ...counted });
  await page.goBack();
  await moved.getByRole('link', { name: /^search, Change: .*, requests of both periods$/ }).click();
  await page.waitForURL(/\/requests/);
  expect(searchOf(page)).toEqual({ q: 'team:search', ...counted });
  expect(Number(searchOf(page)['to']) - Number(searchOf(page)['from'])).toBe(2 * 3_600_000);
  await page.goBack();
  await page.getByRole('link', { name: /^Cached responses/ }).click();
  await page.waitForURL(/\/requests/);
  expect(searchOf(page)).toEqual({ q: 'cached:true', ...counted });
  expect(Number(searchOf(page)['to']) - Number(searchOf(page)['from'])).toBe(3_600_000);
  await page.goBack();
  await page.getByRole('figure', { name: 'Requests' }).getByRole('img').click();
  await page.waitForURL(/\/requests/);
  expect(Number(searchOf(page)['to']) - Number(searchOf(page)['from'])).toBe(60_000);
  await page.goBack();
  await page.getByRole('link', { name: '1 request without a price' }).waitFor();
  await moved.getByRole('button', { name: 'Only team search' }).click();
  await moved.getByRole('columnheader', { name: 'Model' }).waitFor();
  await moved.getByRole('link', { name: 'x', exact: true }).waitFor();
  expect(searchOf(page)).toEqual({ q: 'team:search', range: '1h', moved: 'model' });
  // Nothing goes before all time.
  await page.goto(`${service.api}/?range=all`);
  const most = page.getByRole('region', { name: /^Most (?:cost|tokens)$/ });
  await most.getByRole('columnheader', { name: 'Requests' }).waitFor();
  await expect.poll(() => most.getByRole('columnheader', { name: 'Before' }).count()).toBe(0);
  await expect.poll(() => page.getByText('new', { exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('Overview and Properties count a range from its start on, as the list does to which a figure leads', async () => {
  const [inside, outside] = [600_000, -20_000].map((after) => Date.now() - 7 * 86_400_000 + after);
  for (const at of [inside, outside]) await importFailed('edith', at);
  await eventually('both requests', async () => {
    const found = await api.query({ request_response_rmt: { user_id: { equals: 'edith' } } });
    return found.length === 2 ? found : undefined;
  });
  const { page } = await open('/?range=7d&q=user%3Aedith');
  await page.getByRole('link', { name: 'Requests: 1. Show the requests' }).click();
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(Number(searchOf(page)['to']) - Number(searchOf(page)['from'])).toBe(7 * 86_400_000);
  const ofTeam = await api.query({ request_response_rmt: { properties: { team: { equals: 'checkout' } } } });
  await page.goto(`${service.api}/properties?range=7d&name=team`);
  const figures = page.getByRole('row', { name: /^checkout/ }).getByRole('cell');
  await expect.poll(() => figures.nth(2).innerText()).toBe(String(ofTeam.length - 1));
  await leavePage(page);
});

it('Explore draws every chosen metric, says what has no price, and each group leads to its requests', async () => {
  const { page, complaints } = await open('/explore?range=1h&metrics=%5B%22cost%22%2C%22count%22%5D&by=%5B%22model%22%5D');
  await page.getByRole('figure', { name: 'Cost' }).waitFor();
  await page.getByRole('figure', { name: 'Requests' }).waitFor();
  await page.getByRole('row', { name: /^acme-9b No price/ }).waitFor();
  await expect
    .poll(() => page.getByRole('columnheader').allInnerTexts())
    .toEqual(['Model', expect.stringContaining('Cost'), expect.stringContaining('Requests')]);
  await page.getByRole('button', { name: 'Table of Requests' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'Figures of Requests' }).getByRole('link').count()).toBeGreaterThan(1);
  await page.getByRole('region', { name: 'Figures of Requests' }).locator('td a').first().click();
  await page.waitForURL(/\/requests/);
  expect(searchOf(page)).toEqual({ q: expect.stringMatching(/^model:/) as unknown, ...counted });
  expect(Number(searchOf(page)['to']) - Number(searchOf(page)['from'])).toBeLessThanOrEqual(60_000);
  await page.goBack();
  const groups = page.getByRole('region', { name: 'Groups' });
  await groups.getByRole('link', { name: 'Total' }).waitFor();
  await groups
    .getByRole('row', { name: /^acme-9b/ })
    .getByRole('link', { name: '1', exact: true })
    .click();
  await page.getByText('1 request').first().waitFor();
  expect(searchOf(page)).toEqual({ q: 'model:acme-9b', ...counted });
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a cost that no price tells is no $0 in lists of sessions and users, on their pages and on Overview', async () => {
  const { page, complaints } = await open('/sessions?range=1h');
  await page.getByRole('row', { name: /^A talk with dora .* No price/ }).waitFor();
  await page.getByRole('row', { name: /^A talk with ann .* \$/ }).waitFor();
  await page.getByRole('link', { name: 'A talk with dora' }).click();
  await page.locator('header dl').getByText('No price').waitFor();
  await page.goto(`${service.api}/users?range=1h`);
  await page.getByRole('row', { name: /^dora No price/ }).waitFor();
  await page.getByRole('link', { name: 'dora', exact: true }).click();
  await page.locator('main dl').getByText('No price').waitFor();
  await page.goto(`${service.api}/?range=1h&q=user%3Adora`);
  const card = page.getByRole('figure', { name: 'Cost' });
  await card.getByRole('link', { name: 'Cost: No price. Show the requests' }).waitFor();
  // What moved most is told by what there is.
  await page.getByText('Tokens against the previous period: no request of both has a price').waitFor();
  await page.getByRole('row', { name: /^acme-9b .*1,000,000/ }).waitFor();
  await card.getByRole('button', { name: 'Table of Cost' }).click();
  await expect.poll(() => card.getByRole('cell', { name: '–', exact: true }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('Overview, a budget and a rule on costs name the requests that no price tells, and lead to prices', async () => {
  const sentence = /1 request without a price counts as \$0, so the cost is too low: acme-9b \(1\)\. Set prices/;
  await api.call('PUT', '/v1/rate-limits', [{ policy: '5000;w=3600;u=cents;s=user' }]);
  const { page, complaints } = await open('/?range=1h');
  await page.getByText(sentence).waitFor();
  await page.goto(`${service.api}/limits`);
  await page.getByText(sentence).waitFor();
  await page.getByRole('row', { name: /\$50\.00 per hour .* ≥ \$/ }).waitFor();
  await page.goto(`${service.api}/alerts/new?metric=cost&threshold=20&q=user%3Adora`);
  await page.getByText('It would not have fired').waitFor();
  await page.getByText(sentence).waitFor();
  const rule = { name: 'Spend', metric: 'cost', threshold: 20, time_window: 3_600_000 };
  const { id } = (await api.call<{ readonly id: string }>('POST', '/v1/alerts', rule)).body.data;
  const watched = await open(`/alerts/${id}`);
  await watched.page.waitForSelector('figure');
  await expectGoodPage(watched, { address: `${service.api}/alerts/${id}`, part: 'figure' });
  await watched.page.context().close();
  await page.goto(`${service.api}/alerts/${id}`);
  await page.getByText(sentence).waitFor();
  await page.getByRole('link', { name: 'Set prices' }).click();
  await page.getByRole('heading', { name: 'No price' }).waitFor();
  await api.call('DELETE', `/v1/alerts/${id}`);
  await api.call('PUT', '/v1/rate-limits', []);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('the panels of a board are renamed, moved, edited in Explore, removed, and asked for together', async () => {
  const panels = [
    { title: 'By team', chart: 'bars', metrics: ['count'], by: [{ property: 'team' }] },
    { title: 'Sessions', chart: 'table', metrics: ['cost'], by: ['session'] },
    { title: 'All', chart: 'line', metrics: ['count'] },
  ];
  const { body } = await api.call<{ readonly id: string }>('POST', '/v1/boards', { name: 'Spend', time_range: { last: '1h' }, panels });
  const { page, complaints } = await open('/boards');
  await page.getByRole('link', { name: 'Spend' }).waitFor();
  const calls = await callsOf(page, async () => {
    await page.goto(`${service.api}/boards/${body.data.id}`);
    await page.getByRole('region', { name: 'All' }).getByRole('img').waitFor();
  });
  // The courses and names of groups are asked for once the groups are known.
  expect(calls).toBe(2);
  await page.getByRole('region', { name: 'Sessions' }).first().getByRole('link', { name: 'A talk with ann' }).waitFor();

  const change = async (title: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `Change ${title}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await change('All', 'Rename …');
  await dialog(page).getByLabel('Title').fill('x'.repeat(129));
  await dialog(page).getByText('Write at most 128 characters.').waitFor();
  await expect.poll(() => dialog(page).getByRole('button', { name: 'Rename' }).isEnabled()).toBe(false);
  await dialog(page).getByLabel('Title').fill('Everything');
  await dialog(page).getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Everything' }).waitFor();
  await change('Everything', 'Move left');
  await expect.poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['By team', 'Everything', 'Sessions']);
  await change('By team', 'Edit …');
  await page.getByRole('button', { name: 'Save the panel' }).waitFor();
  await page.getByRole('button', { name: /Bars/ }).click();
  await page.getByRole('option', { name: 'Table' }).click();
  await page.getByRole('button', { name: 'Save the panel' }).click();
  await page.getByRole('region', { name: 'By team' }).first().getByRole('link', { name: 'checkout' }).waitFor();
  await change('Sessions', 'Remove from the board …');
  await dialog(page).getByText('Sessions is removed from the board').waitFor();
  await dialog(page).getByRole('button', { name: 'Remove the panel' }).click();
  await expect.poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['By team', 'Everything']);
  await page.getByRole('button', { name: 'Delete the board' }).click();
  await dialog(page).getByText('2 panels go with it.').waitFor();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a model without a price stands first on Prices, and its price is set there, for past requests too', async () => {
  const { page, complaints } = await open('/prices');
  const row = page.getByRole('row', { name: /^acme-9b 1 / });
  await row.waitFor();
  await row.getByRole('button', { name: 'Set a price for acme-9b' }).click();
  await dialog(page).getByLabel('Input, $ per million').first().fill('2');
  await dialog(page).getByLabel('Output, $ per million').first().fill('4');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await row.waitFor({ state: 'detached' });
  const [item] = await api.query({ request_response_rmt: { model: { equals: 'acme-9b' } } });
  expect(item?.cost).toBe(2);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('which user has errors stands in the list, and its page says of what kind, in the same time', async () => {
  const { page, complaints } = await open('/users?q=user%3Anobody');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'eve', exact: true }) });
  await row.getByRole('link', { name: '1 failed request of eve' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /failed requests? of ben/ }).count()).toBe(0);
  await row.getByRole('link', { name: 'eve', exact: true }).click();
  await page.getByRole('region', { name: 'Errors' }).getByRole('link', { name: 'model_not_found' }).waitFor();
  expect(searchOf(page)).toEqual({ range: '24h' });
  await page.getByRole('link', { name: '1 (100.0%)' }).click();
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(searchOf(page)).toEqual({ q: 'user:eve failed:true', range: '24h' });
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('versions of a prompt stand beside one another, a command away, or a click on Explore', async () => {
  const [greeting] = await api.query({ request_response_rmt: { prompt_id: { equals: 'greeting' } } });
  await api.call('POST', `/v1/request/${greeting?.request_id ?? ''}/score`, { scores: { quality: 0.75 } });
  await eventually('the score', async () => (await api.query({ request_response_rmt: { scores: { quality: { gt: 0 } } } }))[0]);
  const { page, complaints } = await open('/settings');
  await page.locator('dl').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill('prompt');
  await page.getByRole('option', { name: 'Compare versions of a prompt' }).click();
  await page.getByRole('columnheader', { name: 'Score quality, average' }).waitFor();
  await page
    .getByRole('row', { name: /greeting · 2/ })
    .getByText('0.75', { exact: true })
    .waitFor();
  await page.getByRole('link', { name: 'greeting · 2', exact: true }).click();
  await page.getByText('1 request', { exact: true }).waitFor();
  expect(searchOf(page)).toEqual({ q: '-prompt:"" prompt:greeting prompt_version:2', ...counted });
  await page.goto(`${service.api}/explore`);
  // It has the scores once the page knows them.
  await page.locator('a[href*="avg_score.quality"]', { hasText: 'Versions of prompts' }).click();
  await page.getByRole('columnheader', { name: 'Score quality, average' }).waitFor();
  await page.getByRole('link', { name: 'greeting · 2', exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a user has a page of its own, on which alone it is erased, after it says how many requests go', async () => {
  const { page, complaints } = await open('/users?range=1h');
  await page.getByRole('link', { name: 'ben', exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /erase/i }).count()).toBe(0);
  await page.getByRole('link', { name: 'ben', exact: true }).click();
  await page.getByRole('heading', { name: 'ben', level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Most expensive sessions' }).first().getByRole('link', { name: 'A talk with ben' }).waitFor();
  const { length } = await api.query({ request_response_rmt: { user_id: { equals: 'ben' } } });
  await page.getByRole('button', { name: 'Erase the user …' }).click();
  await dialog(page).getByText(`goes for good: ${length} requests with their bodies`).waitFor();
  await dialog(page).getByLabel('Type the user to confirm').fill('ben');
  await dialog(page)
    .getByRole('button', { name: `Erase ${length} requests` })
    .click();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/users$/);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it.each(views)('the pages of a user and of a board are readable for everybody at $width pixels, $colorScheme', async (view) => {
  const { body } = await api.call<readonly { readonly id: string }[]>('GET', '/v1/boards');
  const watched = await openSignedIn(browser, `${service.api}/settings`, view);
  await watched.page.locator('dl').first().waitFor();
  await expectGoodPage(watched, { address: `${service.api}/users/ann`, part: '[role=img]' });
  await expectGoodPage(watched, { address: `${service.api}/boards/${body.data[0]?.id ?? ''}`, part: '[role=img]' });
  expect(watched.complaints).toEqual([]);
  await leavePage(watched.page);
});

it('a board cannot take the name of another: the form stays, and says why', async () => {
  const board = { time_range: { last: '1h' }, panels: [] };
  for (const name of ['Teams', 'Users']) await api.call('POST', '/v1/boards', { ...board, name });
  const { page } = await open('/boards');
  await page.getByRole('main').getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Teams');
  await page.keyboard.press('Enter');
  await dialog(page)
    .getByRole('alert')
    .getByText(/There is a board called .Teams. already/)
    .waitFor();
  await expect.poll(() => dialog(page).getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Teams');
  await leavePage(page);
});
