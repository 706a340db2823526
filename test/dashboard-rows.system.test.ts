import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './support/eventually.ts';
import { openSignedIn } from './support/dashboard.ts';
import {
  apiPaths,
  cells,
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
  seeded,
  seedId,
} from './support/requests-list.ts';
import { accessibilityFaults, leavePage } from './support/watched-page.ts';

let scene: RequestsScene;
beforeAll(async () => {
  scene = await openRequestsScene();
});
afterAll(async () => scene?.end());

async function scrolled(page: Page): Promise<number> {
  return page.evaluate<number>("document.querySelector('[role=grid]').scrollTop");
}

it('Back leads from the details to the list, its row and its place, and j and k through rows are no steps back', async () => {
  await scene.importMany('back', 120);
  const { page, complaints } = await scene.open({ q: 'user:back' });
  const before = page.url();
  await page.evaluate("document.querySelector('[role=grid]').scrollTop = 1500");
  const row = page.locator(`${rows}[aria-rowindex='55']`);
  const name = await row.locator(cells).first().innerText();
  await row.click();
  await page.waitForURL((url) => url.searchParams.get('request') === name);
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.searchParams.has('request') && url.searchParams.get('request') !== name);
  const top = await scrolled(page);
  await page.goBack();
  await page.waitForURL(before);
  await expect.poll(() => scrolled(page)).toBe(top);
  await expect.poll(() => page.locator('[data-current=true]').count()).toBe(1);
  await page.getByRole('link', { name: 'Sessions' }).first().click();
  await page.waitForURL(/\/sessions/);
  await page.goBack();
  await page.locator(rows).first().waitFor();
  await expect.poll(() => scrolled(page), patient).toBe(top);
  await page.locator(`${rows}[aria-rowindex='50']`).click();
  await page.waitForURL((url) => url.searchParams.has('request'));
  await page.getByRole('button', { name: 'Close the request' }).click();
  await page.waitForURL(before);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('Enter takes the only value that is offered, and an empty list names what nearly matched and can be cleared', async () => {
  const { page, complaints } = await scene.open({ q: seeded });
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Team:no');
  await expect.poll(() => completions(page).locator('b').allInnerTexts(), patient).toEqual(['north sea']);
  await page.keyboard.press('Enter');
  await expectSearch(page, 'Team:"north sea"', 'property "Team" is "north sea"');
  await expectShown(page, [6]);
  await search(page, 'Team:serch');
  await page.getByText('there is "search"').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.waitForURL((url) => !url.searchParams.has('q'));
  await page.locator(rows).first().waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('words of both sides, properties that most have, and marks of failures and of the cache stand in the list as it is', async () => {
  const at = Date.now() - hourMs / 2;
  await scene.importRequest({
    request_id: '5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0090',
    request_created_at: new Date(at).toISOString(),
    request_user_id: 'words',
    response_status: 200,
    request_body: { messages: [{ role: 'user', content: 'When does the **ferry** leave?' }] },
    response_body: { choices: [{ message: { role: 'assistant', content: 'At 6:20, from the pier.' } }] },
    properties: { Harbour: 'north', 'Svc-Session-Path': '/ask' },
    scores: { helpful: 0.75 },
  });
  await scene.importRequest({
    request_id: '5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0091',
    request_created_at: new Date(at - 1000).toISOString(),
    request_user_id: 'words',
    response_status: 429,
    request_body: { messages: [{ role: 'user', content: 'And the next one?' }] },
    response_body: { error: { type: 'rate_limit', message: 'Too many calls.' } },
    properties: { Harbour: 'south' },
  });
  await scene.api.stored('5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0091');
  const { page, complaints } = await openSignedIn(scene.browser, `${scene.service.api}/requests?q=user%3Awords`);
  await page.locator(rows).nth(1).waitFor();
  const words = page.locator(`${rows} ${cells}:nth-child(3)`);
  await expect.poll(() => words.nth(0).innerText()).toMatch(/When does the \*\*ferry\*\* leave\?\s+At 6:20, from the pier\./);
  await expect.poll(() => words.nth(1).innerText()).toMatch(/And the next one\?\s+429\s+Too many calls\./);
  const titles = async (): Promise<readonly string[]> =>
    (await page.getByRole('columnheader').allInnerTexts()).filter((title) => /Input|Client|Harbour|Svc/.test(title));
  await expect.poll(titles).toEqual(['Input → Output', 'Harbour', 'Client']);
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByLabel('Add a column').fill('helpful');
  await dialog.getByRole('button', { name: '+ helpful' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => page.locator(`${rows} ${cells}:last-child`).allInnerTexts()).toEqual(['0.75', '']);
  await page.getByRole('columnheader', { name: 'Cost' }).click({ position: { x: 3, y: 3 } });
  await page.waitForURL((url) => url.searchParams.get('sort') === 'costliest');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

const phoneScreen = 844;
const phone = { width: 390, colorScheme: 'light' } as const;

it('on a phone one menu above the list has its tools', async () => {
  const { page, complaints } = await openSignedIn(scene.browser, `${scene.service.api}/requests?q=user%3Aann`, phone);
  await page.locator(rows).first().waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Columns' }).count()).toBe(0);
  await page.getByRole('button', { name: 'More' }).click();
  await expect
    .poll(() => page.getByRole('menuitem').allInnerTexts())
    .toEqual(['Facets', 'Live', 'Columns', 'Views', 'Export', 'New alert rule']);
  await page.getByRole('menuitem', { name: 'Columns' }).click();
  await page.getByRole('dialog', { name: 'Columns' }).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'New alert rule' }).click();
  await page.waitForURL((url) => url.pathname === '/alerts/new' && url.searchParams.get('q') === 'user:ann');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('on a phone an opened request is a page of its own: the way back, why it failed, and what was asked come first', async () => {
  const id = '5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00c1';
  await scene.importRequest({
    request_id: id,
    request_created_at: new Date(Date.now() - hourMs / 2).toISOString(),
    request_user_id: 'thumb',
    response_status: 429,
    request_body: { messages: [{ role: 'user', content: 'When does the ferry leave?' }] },
    response_body: { error: { type: 'rate_limit', message: 'Too many calls.' } },
    properties: { Harbour: 'north' },
  });
  await scene.api.stored(id);
  const watched = await openSignedIn(scene.browser, `${scene.service.api}/requests?q=user%3Athumb`, phone);
  const { page, complaints } = watched;
  await page.locator(rows).first().click();
  const details = page.getByRole('complementary', { name: 'Request' });
  const [back, failure, asked] = [
    details.getByRole('button', { name: 'Back to Requests' }),
    details.getByRole('group', { name: 'Error' }).getByText('Too many calls.'),
    details.getByText('When does the ferry leave?'),
  ];
  await asked.waitFor();
  // A text is drawn once more when the code of its markdown is there.
  const places = await eventually('all three to be drawn', async () => {
    const found = await Promise.all([back, failure, asked].map(async (part) => (await part.boundingBox())?.y));
    return found.every((place) => place !== undefined) ? found : undefined;
  });
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[1]).toBeLessThan(phoneScreen / 2);
  expect(places[2]).toBeLessThan(phoneScreen);
  await expect.poll(() => page.getByRole('combobox', { name: 'Search requests' }).count()).toBe(0);
  expect(await accessibilityFaults(watched)).toEqual([]);
  await details.getByRole('tab', { name: 'Details' }).click();
  await details.getByRole('button', { name: 'Edit properties' }).waitFor();
  await details.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Pin to compare' }).click();
  await back.click();
  await page.waitForURL((url) => !url.searchParams.has('request'));
  await page.locator(rows).first().waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a request that is gone says so beside the list', async () => {
  const { page } = await openSignedIn(scene.browser, `${scene.service.api}/requests?request=${seedId(99)}`);
  const details = page.getByRole('complementary', { name: 'Request' });
  await details.getByRole('heading', { name: 'Request not found' }).waitFor();
  await page.locator(rows).first().waitFor();
  await expect.poll(() => details.getByRole('tab').count()).toBe(0);
  await leavePage(page);
});

it('decimals of the costs of a list stand below one another', async () => {
  const costs = [12.34, 0.0123, 0];
  const now = Date.now();
  for (const [index, cost] of costs.entries()) {
    await scene.importRequest({
      request_id: `5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00a${index}`,
      request_created_at: new Date(now - hourMs / 2 - index * 1000).toISOString(),
      request_user_id: 'decimals',
      cost,
    });
  }
  await scene.api.stored('5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00a2');
  const { page, complaints } = await openSignedIn(
    scene.browser,
    `${scene.service.api}/requests?q=user%3Adecimals&columns=%5B%22cost%22%5D`,
  );
  await page.locator(rows).nth(2).waitFor();
  const marks = await page.evaluate<readonly (readonly [text: string, left: number])[]>(decimalMarks);
  expect(marks.map(([text]) => text.replaceAll(/[^$0-9.]/g, ''))).toEqual(['$12.34', '$0.0123', '$0']);
  const [first, second] = marks.map(([, left]) => left);
  expect(Math.abs((first ?? 0) - (second ?? 1000))).toBeLessThan(1);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** The text of each cell of the last column, and where its point begins. */
const decimalMarks = `[...document.querySelectorAll("[role=rowgroup] [role=row]")].map((row) => {
  const text = row.lastElementChild.firstChild;
  const range = document.createRange();
  const at = Math.max(0, text.data.indexOf('.'));
  range.setStart(text, at);
  range.setEnd(text, at + 1);
  return [text.data, range.getBoundingClientRect().left];
})`;

it('above the list stands when its requests were made and what they cost together, and a bar leads to its requests', async () => {
  for (const [index, status] of [200, 500, 200].entries()) {
    await scene.importRequest({
      request_id: `5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00b${index}`,
      request_created_at: new Date(Date.now() - (index === 2 ? 10 : 5) * hourMs).toISOString(),
      request_user_id: 'strip',
      response_status: status,
      cost: 0.25,
    });
  }
  await scene.api.stored('5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00b2');
  const { page, requests, complaints } = await openSignedIn(scene.browser, `${scene.service.api}/requests?q=user%3Astrip&range=24h`);
  const strip = page.getByRole('figure', { name: 'Requests over time' }).getByRole('img', { name: '3 requests, 1 failed' });
  await strip.waitFor();
  await page.getByText('$0.75 · 33.3% failed').waitFor();
  expect(apiPaths(requests).filter((path) => path.startsWith('/v1/metrics/'))).toHaveLength(1);
  const box = await strip.boundingBox();
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * ((24 - 5) / 24), (box?.y ?? 0) + 20);
  await page.getByText('2 requests', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.has('to')).toBe(true);
  // As after a reload with a request open, which is none of those that failed.
  const open = 'request=5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00b0';
  await page.goto(`${scene.service.api}/requests?q=user%3Astrip%20failed%3Atrue&range=24h&${open}`);
  await page.getByRole('figure', { name: 'Requests over time' }).getByRole('img', { name: '1 request, 1 failed' }).waitFor();
  await page.getByText('$0.25 · 100.0% failed').waitFor();
  await page.getByText('This request is not in the list').waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('selected requests are compared, exported, given a property and freed of it', async () => {
  const { page, complaints } = await scene.open({ q: seeded });
  const box = (place: number): Locator => page.getByRole('checkbox', { name: `Select request ${seedId(place)}` });
  const before = await box(3).boundingBox();
  await box(5).click();
  const bar = page.getByRole('group', { name: 'Selected requests' });
  await bar.waitFor();
  await expect.poll(() => box(3).boundingBox()).toEqual(before);
  await expect.poll(() => page.evaluate("document.querySelector('[role=grid] [role=row] input').indeterminate")).toBe(true);
  await box(3).click();
  const compare = await bar.getByRole('link', { name: 'Compare' }).getAttribute('href');
  // The older one, though it was selected last.
  expect(new URL(compare ?? '', scene.service.api).searchParams.get('left')).toBe(seedId(3));
  await bar.getByRole('button', { name: 'Export selected' }).click();
  expect((await download(page)).slice(1).map((line) => placeOf(line.split(',')[0] ?? ''))).toEqual([3, 5]);
  await page.keyboard.press('Escape');
  await bar.getByRole('button', { name: 'Set a property' }).click();
  await page.keyboard.type('Reviewed');
  await page.keyboard.press('Tab');
  await page.keyboard.type('yes');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const found = await scene.api.query({ request_response_rmt: { properties: { Reviewed: { equals: 'yes' } } } });
  expect(new Set(found.map((item) => placeOf(item.request_id)))).toEqual(new Set([3, 5]));
  await bar.getByRole('button', { name: 'Remove a property' }).click();
  await page.keyboard.type('Reviewed');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await scene.api.query({ request_response_rmt: { properties: { Reviewed: { equals: 'yes' } } } })).toEqual([]);
  await bar.getByRole('button', { name: 'Clear the selection' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await leavePage(page);
});
