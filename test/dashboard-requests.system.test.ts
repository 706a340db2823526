import { once } from 'node:events';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desktop, openSignedIn, tabTo } from './support/dashboard.ts';
import { leavePage } from './support/watched-page.ts';
import {
  cells,
  choose,
  completions,
  download,
  expectSearch,
  expectShown,
  hourMs,
  openRequestsScene,
  patient,
  placeOf,
  type RequestsScene,
  rows,
  search,
  searchField,
  seeded,
  seedId,
  seeds,
  shown,
} from './support/requests-list.ts';

let scene: RequestsScene;
beforeAll(async () => {
  scene = await openRequestsScene();
});
afterAll(async () => scene?.end());

/** Fields and values of the conditions in a group and in those inside of it. */
async function conditionsIn(group: Locator): Promise<readonly string[]> {
  const [fields, values] = [await group.getByLabel('Field or property').all(), await group.getByRole('textbox', { name: 'Value' }).all()];
  const texts = await Promise.all([fields, values].map((locators) => Promise.all(locators.map((locator) => locator.inputValue()))));
  return (texts[0] ?? []).map((field, index) => `${field}: ${texts[1]?.[index] ?? ''}`);
}

it('a search stands in both editors, each follows the other, and the list and the address follow both', async () => {
  const { page, complaints } = await scene.open();
  await search(page, 'model:gpt-4o (status:>=400 OR Team:search)');
  await expectShown(page, [3, 2, 1]);
  await page.getByRole('button', { name: 'Builder' }).click();
  const groups = page.getByRole('group', { name: 'Group of conditions' });
  await groups.nth(1).waitFor();
  await expect.poll(() => conditionsIn(groups.nth(0)), patient).toEqual(['model: gpt-4o', 'status: 400', 'Team: search']);
  await expect.poll(() => conditionsIn(groups.nth(1)), patient).toEqual(['status: 400', 'Team: search']);

  const inner = groups.nth(1);
  await inner.getByRole('textbox', { name: 'Value' }).first().fill('500');
  await expectSearch(
    page,
    'model:gpt-4o (status:>=500 OR Team:search)',
    'model is "gpt-4o" and (status is at least 500 or property "Team" is "search")',
  );
  await expectShown(page, [2, 1]);

  await inner.getByRole('button', { name: '+ group' }).click();
  const innermost = groups.nth(2);
  await innermost.getByLabel('Field or property').fill('Team');
  await innermost.getByRole('textbox', { name: 'Value' }).fill('checkout');
  await innermost.getByRole('button', { name: '+ condition' }).click();
  await innermost.getByLabel('Field or property').nth(1).fill('user');
  await innermost.getByRole('textbox', { name: 'Value' }).nth(1).fill('ann');
  await expectSearch(
    page,
    'model:gpt-4o (status:>=500 OR Team:search OR (Team:checkout user:ann))',
    'or (property "Team" is "checkout" and user is "ann"))',
  );
  await expectShown(page, [3, 2, 1]);

  await inner.getByRole('button', { name: 'Remove the condition' }).nth(1).click();
  await choose(page, groups.nth(0).getByRole('button', { name: 'How they are joined' }).first(), 'any of these');
  await expectSearch(page, 'model:gpt-4o OR status:>=500 OR (Team:checkout user:ann)', 'model is "gpt-4o" or status is at least 500 or');
  await expectShown(page, [5, 3, 2, 1]);

  await search(page, 'user:carla');
  await expectShown(page, [7, 6]);
  await expect.poll(() => conditionsIn(groups.nth(0)), patient).toEqual(['user: carla']);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** Goes down the completions with the arrow until one is active. The page shows each step a moment after its key. */
async function goTo(page: Page, title: string): Promise<void> {
  const wanted = completions(page).filter({ has: page.getByText(title, { exact: true }) });
  await wanted.waitFor();
  const active = (): Promise<readonly string[]> => completions(page).and(page.locator('[aria-selected=true]')).allInnerTexts();
  const isActive = async (): Promise<boolean> => (await wanted.getAttribute('aria-selected')) === 'true';
  // Values that arrive meanwhile stand before it.
  for (let left = 40; left > 0 && !(await isActive()); left -= 1) {
    const before = await active();
    await page.keyboard.press('ArrowDown');
    await expect.poll(active, patient).not.toEqual(before);
  }
  if (!(await isActive())) throw new Error(`The arrow does not lead to the completion "${title}".`);
}

it('names, operators and stored values are offered while one writes, and taken by the keyboard', async () => {
  const { page, complaints } = await scene.open({ q: seeded });
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('te');
  await goTo(page, 'Team');
  await page.keyboard.press('Enter');
  await expect.poll(() => searchField(page).inputValue(), patient).toBe('Team:');
  for (const value of ['search', 'checkout', 'north sea']) await completions(page).getByText(value, { exact: true }).waitFor();
  await page.keyboard.type('no');
  await expect.poll(() => completions(page).locator('b').allInnerTexts(), patient).toEqual(['north sea']);
  await goTo(page, 'north sea');
  await page.keyboard.press('Tab');
  await expect.poll(() => searchField(page).inputValue(), patient).toBe('Team:"north sea" ');
  await page.keyboard.type('stat');
  await goTo(page, 'status');
  await page.keyboard.press('Tab');
  await goTo(page, '<');
  await page.keyboard.press('Enter');
  await expect.poll(() => searchField(page).inputValue(), patient).toBe('Team:"north sea" status:<');
  await goTo(page, '429');
  await page.keyboard.press('Enter');
  await searchField(page).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await expectSearch(page, 'Team:"north sea" status:<429', 'property "Team" is "north sea" and status is under 429');
  await expectShown(page, [6]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** Values of a facet with how many requests have them. */
async function valuesOf(page: Page, facet: string): Promise<Readonly<Record<string, number>>> {
  const panel = page.getByRole('complementary', { name: 'Facets' }).getByRole('group', { name: facet, exact: true });
  const texts = await panel.getByRole('listitem').allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split('\n')).map(([value = '', count]) => [value, Number(count)]));
}

it('a facet has the exact count of each value; a click keeps it, another leaves it out', async () => {
  const { page, complaints } = await scene.open({ q: seeded });
  await page.getByRole('button', { name: 'Facets' }).click();
  await expect.poll(() => valuesOf(page, 'Model'), patient).toEqual({ 'gpt-4o': 3, 'gpt-4o-mini': 3, claude: 1 });
  await expect.poll(() => valuesOf(page, 'Status'), patient).toEqual({ 200: 5, 429: 1, 500: 1 });
  await expect.poll(() => valuesOf(page, 'Result'), patient).toEqual({ OK: 5, Failed: 2 });
  await page.getByRole('button', { name: 'Properties …' }).click();
  await page.getByRole('button', { name: 'Team', exact: true }).click();
  await expect.poll(() => valuesOf(page, 'Team'), patient).toEqual({ search: 3, checkout: 2, 'north sea': 1, none: 1 });
  await page.getByRole('button', { name: 'Only none' }).click();
  await expectSearch(page, `${seeded} Team:""`, 'property "Team" is empty');
  await expect.poll(() => valuesOf(page, 'Team'), patient).toEqual({ none: 1 });
  await page.goBack();
  await page.getByRole('button', { name: 'Only gpt-4o', exact: true }).click();
  await expectShown(page, [3, 2, 1]);
  await expect.poll(() => valuesOf(page, 'Team'), patient).toEqual({ search: 2, checkout: 1 });
  await page.getByRole('button', { name: 'Without checkout' }).click();
  await expectSearch(page, `${seeded} model:gpt-4o -Team:checkout`, 'property "Team" is not "checkout"');
  await expectShown(page, [2, 1]);
  await expect.poll(() => valuesOf(page, 'Status'), patient).toEqual({ 200: 2 });
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** Titles of the columns with their widths in pixels; a star marks those that stay in view. */
async function columnsOf(page: Page): Promise<readonly string[]> {
  const headers = await page.getByRole('columnheader').all();
  return Promise.all(
    headers.map(async (header) => {
      const width = await header.getByRole('separator').getAttribute('aria-valuenow');
      return `${await header.innerText()} ${String(width)}${(await header.getAttribute('data-pinned')) === 'true' ? ' *' : ''}`;
    }),
  );
}

/** Drags the edge of a column to the right. */
async function drag(page: Page, edge: Locator, byPx: number): Promise<void> {
  const box = await edge.boundingBox();
  if (box === null) throw new Error('The edge is not in view.');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + byPx, box.y + box.height / 2);
  await page.mouse.up();
}

it('columns are chosen, ordered, pinned and sized, and stay so', async () => {
  const { page, complaints } = await scene.open({ q: seeded, columns: JSON.stringify(['id', 'model', 'cost']) });
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByLabel('Add a column').fill('tea');
  await dialog.getByRole('button', { name: '+ Team' }).click();
  await dialog.getByRole('button', { name: 'Move Team to the left' }).click();
  await dialog.getByRole('button', { name: 'Move Identifier to the right' }).click();
  await dialog.getByRole('button', { name: 'Remove Cost' }).click();
  // The pin of a column holds those before it too.
  await dialog.getByText('Pin Identifier').click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => columnsOf(page), patient).toEqual(['Model 140 *', 'Identifier 280 *', 'Team 130']);

  await tabTo(page, 'separator', 'Width of Model');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'separator', 'Width of Team');
  for (let pressed = 0; pressed < 10; pressed += 1) await page.keyboard.press('ArrowLeft');
  await drag(page, page.getByRole('separator', { name: 'Width of Identifier' }), 61);
  const changed = ['Model 172 *', 'Identifier 341 *', 'Team 48'];
  await expect.poll(() => columnsOf(page), patient).toEqual(changed);

  await page.reload();
  await page.waitForSelector(rows);
  await expect.poll(() => columnsOf(page), patient).toEqual(changed);
  const firstRow = page.locator(rows).first().locator(cells);
  const widths = async (): Promise<readonly (number | undefined)[]> =>
    Promise.all([0, 1].map(async (column) => (await firstRow.nth(column).boundingBox())?.width));
  await expect.poll(widths).toEqual([172, 341]);
  await expect.poll(() => page.locator(rows).nth(1).locator(cells).allInnerTexts()).toEqual(['gpt-4o-mini', seedId(6), 'north sea']);

  await page.setViewportSize({ width: 500, height: 900 });
  const pinnedAt = (await firstRow.first().boundingBox())?.x;
  const scrolled = (await firstRow.last().boundingBox())?.x ?? 0;
  await page.evaluate("document.querySelector('[role=grid]').scrollLeft = 150");
  await expect.poll(async () => (await firstRow.last().boundingBox())?.x, patient).toBe(scrolled - 150);
  expect((await firstRow.first().boundingBox())?.x).toBe(pinnedAt);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a view is saved, renamed, opened by its link with another key of the organisation, and deleted', async () => {
  const { body } = await scene.api.call<{ apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'colleague', key_permissions: 'rw' });
  const { page, complaints } = await scene.open({ q: `${seeded} Team:checkout`, columns: JSON.stringify(['id', 'properties.Team']) });
  await page.getByRole('button', { name: 'Views' }).click();
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await dialog.getByLabel('Name').fill('Checkout');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Rename Checkout' }).click();
  await dialog.getByLabel('New name').fill('<b>Failures</b> of checkout');
  await page.keyboard.press('Enter');
  const link = await dialog.getByRole('link', { name: '<b>Failures</b> of checkout' }).getAttribute('href');

  const other = (await openSignedIn(scene.browser, new URL(link ?? '', scene.service.api).href, desktop, body.data.apiKey)).page;
  await expectShown(other, [5, 3]);
  await expect.poll(() => other.getByRole('columnheader').allInnerTexts()).toEqual(['Identifier', 'Team']);
  await other.getByRole('button', { name: 'Views' }).click();
  await other.getByRole('button', { name: 'Delete <b>Failures</b> of checkout' }).click();
  await other.getByRole('dialog').last().getByRole('button', { name: 'Delete <b>Failures</b> of checkout' }).click();
  await other.getByText('No view is saved yet.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByText('No view is saved yet.').waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
  await leavePage(other);
});

/** Every column that the list can show, apart from properties. */
const listColumns = [
  'time',
  'words',
  'input_preview',
  'output_preview',
  'status',
  'failure',
  'model',
  'client',
  'client_version',
  'cached',
  'feedback',
  'cost',
  'latency',
  'tokens',
  'user',
  'session',
  'provider',
  'ttft',
  'input',
  'output',
  'size',
  'country',
  'path',
  'cost_source',
  'id',
];

it('an export has exactly the requests and columns that are shown', async () => {
  const { page, complaints } = await scene.open({
    q: `${seeded} -Team:"north sea"`,
    columns: JSON.stringify(['id', 'status', 'properties.Team']),
  });
  await expectShown(page, [7, 5, 4, 3, 2, 1]);
  await page.getByRole('button', { name: 'Export' }).click();
  expect(await download(page)).toEqual([
    'request_id,response_status,properties.Team',
    `${seedId(1)},200,search`,
    `${seedId(2)},200,search`,
    `${seedId(3)},429,checkout`,
    `${seedId(4)},200,search`,
    `${seedId(5)},500,checkout`,
    `${seedId(7)},200,`,
  ]);
  await choose(page, page.getByRole('dialog').getByRole('button', { name: 'Format' }), 'jsonl');
  const lines = (await download(page)).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(lines.map((line) => placeOf(String(line['request_id'])))).toEqual([1, 2, 3, 4, 5, 7]);
  expect(lines[2]).toEqual({ request_id: seedId(3), response_status: 429, 'properties.Team': 'checkout' });
  await page.goto(scene.addressOf({ q: seeded, columns: JSON.stringify(listColumns) }));
  await page.getByRole('button', { name: 'Export' }).click();
  const [titles = '', ...all] = await download(page);
  // The words of a request are its two previews, which stand by themselves too.
  expect([titles.split(',').length, all.length]).toEqual([listColumns.length - 1, seeds.length]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('keys go through the list, into the details and back, and the focus returns to the list', async () => {
  const { page, complaints } = await scene.open({ q: seeded });
  const isOpen = async (place: number): Promise<void> => page.waitForURL((url) => url.searchParams.get('request') === seedId(place));
  const isClosed = async (): Promise<void> => page.waitForURL((url) => !url.searchParams.has('request'));
  const focused = async (role: 'grid' | 'heading', name: string): Promise<void> =>
    page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor();
  // No key goes to the list first.
  await page.keyboard.press('Enter');
  await isOpen(7);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await isOpen(5);
  await page.keyboard.press('k');
  await isOpen(6);
  await tabTo(page, 'grid', 'Requests');
  await page.keyboard.press('Escape');
  await isClosed();
  await focused('grid', 'Requests');

  // Keys go on from the row that was open last.
  await page.keyboard.press('k');
  await isOpen(7);
  await page.getByRole('heading', { name: 'claude' }).waitFor();
  await page.keyboard.press('Enter');
  await focused('heading', 'claude');
  await page.keyboard.press('Escape');
  await isClosed();
  await focused('grid', 'Requests');

  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Close the request');
  await page.keyboard.press('Enter');
  await isClosed();
  await focused('grid', 'Requests');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a request is kept while one looks for the other, and both are compared', async () => {
  const { page, complaints } = await scene.open({ q: seeded, request: seedId(3) });
  const compare = page.getByRole('link', { name: /^Compare/ });
  await page.getByText('Rating').waitFor();
  await expect.poll(() => compare.count()).toBe(0);
  await page.getByRole('button', { name: 'Pin to compare' }).click();
  await page.getByRole('button', { name: '✓ Pinned to compare' }).waitFor();
  // What is kept belongs to the tab, and not to one address.
  await page.goto(scene.addressOf({ q: seeded }));
  await page.getByText('is pinned: open another to compare').waitFor();
  await page.locator(rows).nth(2).click();
  await page.getByRole('link', { name: 'Compare with the pinned one' }).click();
  await page.waitForURL((url) => url.searchParams.get('left') === seedId(3) && url.searchParams.get('right') === seedId(5));
  await page.locator('tr[data-differs=true]', { hasText: 'Status' }).first().waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('rows are there before they are counted, and a count that fails is said beside them', async () => {
  const lines = Array.from({ length: 120 }, (_, index) =>
    JSON.stringify({
      request_id: `6d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0${String(index).padStart(3, '0')}`,
      request_created_at: new Date(Date.now() - 2 * hourMs - index).toISOString(),
      provider: 'OPENAI',
      request_user_id: 'many',
    }),
  );
  const { status } = await scene.api.call('POST', '/v1/import', lines.join('\n'));
  expect(status).toBe(200);
  await scene.api.stored('6d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0119');
  const { page } = await openSignedIn(scene.browser, scene.addressOf({ q: 'user:ann' }));
  await page.locator(rows).first().waitFor();
  const counting = new AbortController();
  const mayCount = once(counting.signal, 'abort');
  await page.route('**/v1/request/count/query', async (route) => {
    await mayCount;
    await route.continue();
  });
  await search(page, 'user:many');
  await expect.poll(async () => (await shown(page)).length, patient).toBeGreaterThan(5);
  const size = page.locator('header p').first();
  await expect.poll(() => size.innerText()).toBe('');
  counting.abort();
  await page.getByText('120 requests', { exact: true }).waitFor();

  await page.unroute('**/v1/request/count/query');
  await page.route('**/v1/request/count/query', async (route) =>
    route.fulfill({ status: 504, json: { data: null, error: 'Counting took too long.', code: 'query_timeout' } }),
  );
  await search(page, 'user:many status:<500');
  await page.getByText('Not counted: Counting took too long.').waitFor();
  await leavePage(page);
});
