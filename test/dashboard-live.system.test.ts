import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSignedIn } from './support/dashboard.ts';
import {
  apiPaths,
  expectShown,
  hourMs,
  openRequestsScene,
  patient,
  type RequestsScene,
  search,
  seeded,
  seedId,
  shown,
} from './support/requests-list.ts';
import type { WatchedPage } from './support/watched-page.ts';

let scene: RequestsScene;
beforeAll(async () => {
  scene = await openRequestsScene();
});
afterAll(async () => scene?.end());

const liveButton = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

it('with live on, requests come in by themselves, by search and range; while nothing comes, the page asks nothing', async () => {
  const { page, requests, complaints } = await openSignedIn(scene.browser, scene.addressOf({ q: 'user:dora', range: '1h' }));
  await page.getByText('No request matches').waitFor();
  await page.clock.install();
  await liveButton(page, 'Live').click();
  await liveButton(page, 'Live: on').waitFor();
  await page.getByText('No request matches').waitFor();
  const first = await scene.send('dora');
  await expectShown(page, [first]);
  await page.getByText('1 request', { exact: true }).waitFor();

  const askedBefore = requests.length;
  await page.clock.fastForward(30_000);
  await scene.importRequest({
    request_id: seedId(90),
    request_created_at: new Date(Date.now() - 48 * hourMs).toISOString(),
    request_user_id: 'dora',
  });
  await scene.send('ann');
  const second = await scene.send('dora');
  await expectShown(page, [second, first]);
  await page.getByText('2 requests', { exact: true }).waitFor();
  expect(apiPaths(requests.slice(askedBefore))).toEqual([]);

  // Switched off, the list has what came in, and nothing more comes.
  await liveButton(page, 'Live: on').click();
  await liveButton(page, 'Live').waitFor();
  await expectShown(page, [second, first]);
  // Its figures are added up once nothing else is on its way.
  await expect.poll(() => apiPaths(requests.slice(askedBefore)), patient).toContain('/v1/metrics/batch');
  const third = await scene.send('dora');
  await scene.api.stored(third);
  const asked = requests.length;
  await page.clock.fastForward(10 * 60_000);
  await liveButton(page, 'Live').click();
  // It has what was stored while live was off.
  await expectShown(page, [third, second, first]);
  expect(apiPaths(requests.slice(asked)).toSorted()).toEqual(['/v1/request/query-clickhouse', '/v1/request/stream']);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('requests that come in while somebody reads further down wait behind a button', async () => {
  const { page } = await openSignedIn(scene.browser, scene.addressOf({ q: 'user:erik', live: 'true' }), {
    width: 1280,
    colorScheme: 'light',
  });
  await liveButton(page, 'Live: on').waitFor();
  const ids = await Promise.all(Array.from({ length: 30 }, async () => scene.send('erik')));
  await page.getByText('30 requests', { exact: true }).waitFor();
  await page.evaluate("document.querySelector('[role=grid]').scrollTop = 200");
  const newest = await scene.send('erik');
  await page.getByRole('button', { name: '1 new' }).click();
  await page.evaluate("document.querySelector('[role=grid]').scrollTop = 0");
  await expect.poll(async () => (await shown(page))[0], patient).toBe(newest);
  await search(page, 'user:erik -user:ann');
  await expect.poll(async () => (await shown(page)).length, patient).toBe(ids.length + 1);
  await expect.poll(() => page.getByRole('button', { name: /^\d+ new$/ }).count()).toBe(0);
  await page.context().close();
});

it('a range that has ended, or another order, is not live', async () => {
  const [from, to] = [Date.now() - 48 * hourMs, Date.now()].map(String) as [string, string];
  const { page, requests } = await scene.open({ q: seeded, from, to, live: 'true' });
  await expect.poll(() => liveButton(page, 'Live').getAttribute('aria-pressed')).toBe('false');
  await page.goto(scene.addressOf({ q: seeded, sort: 'oldest', live: 'true' }));
  await expectShown(page, [1, 2, 3, 4, 5, 6, 7]);
  await expect.poll(() => liveButton(page, 'Live').getAttribute('aria-pressed')).toBe('false');
  expect(apiPaths(requests)).not.toContain('/v1/request/stream');
  await page.goto(scene.addressOf({ q: seeded, from, to }));
  await liveButton(page, 'Live').click();
  await liveButton(page, 'Live: on').waitFor();
  expect(new URL(page.url()).searchParams.has('to')).toBe(false);
  await page.context().close();
});

const conversation = '[aria-label=Conversation]';
const asked = { messages: [{ role: 'user', content: 'When does the first ferry leave?' }] };

function answer(content: string): object {
  return { choices: [{ message: { role: 'assistant', content } }] };
}

/** Stores a request and opens it. The caller closes the page's context. */
async function openConversation(place: number, record: Readonly<Record<string, unknown>>): Promise<WatchedPage> {
  const id = seedId(place);
  const arrived = new Date(Date.now() - hourMs / 2).toISOString();
  await scene.importRequest({ request_id: id, request_created_at: arrived, request_body: asked, ...record });
  await scene.api.stored(id);
  const watched = await openSignedIn(scene.browser, `${scene.service.api}/requests?range=all&request=${id}`);
  await watched.page.locator(conversation).waitFor();
  return watched;
}

function detail(page: Page): Locator {
  return page.locator('aside[aria-label=Request]');
}

it('a logged step is shown as the call of a tool with its result, and no body of it is said to be unknown', async () => {
  const { page, complaints } = await openConversation(60, {
    request_path: '/custom/v1/log',
    request_body: { _type: 'tool', toolName: 'clock', input: { zone: 'Europe/Oslo' } },
    response_body: { hour: 7 },
  });
  const step = page.locator(conversation).getByRole('group', { name: 'Call of clock' });
  await expect.poll(() => step.innerText()).toMatch(/"zone": "Europe\/Oslo"[^]*Result[^]*"hour": 7/);
  await expect.poll(() => page.getByText('has no messages that this page can read').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

async function topOf(place: Locator): Promise<number> {
  return (await place.boundingBox())?.y ?? Number.NaN;
}

it('why a call failed stands first, and the answer before the prompt', async () => {
  const failed = await openConversation(61, { response_status: 529, response_body: { message: 'We have too many calls.' } });
  const reason = failed.page.getByRole('group', { name: 'Error' });
  await expect.poll(() => reason.innerText()).toMatch(/^Error status \(529\)[^]*We have too many calls\./);
  expect(await topOf(reason)).toBeLessThan(
    await topOf(failed.page.getByRole('complementary', { name: 'Request' }).getByText('Latency', { exact: true }).first()),
  );
  expect(failed.complaints).toEqual([]);
  await failed.page.context().close();
  const { page } = await openConversation(62, { response_body: answer('At 6:20.') });
  const titles = page.locator(conversation).getByRole('heading');
  await expect.poll(() => titles.allInnerTexts()).toEqual(['Answer', 'Assistant', 'Prompt', 'User']);
  await page.context().close();
});

it('markdown is shown as such until it is switched off, and nothing in it is loaded or run', async () => {
  const content = [
    '## Sailings\n\n**Two** sail, `echo` one:\n\n- the first\n- the second\n\n| pier | time |\n| - | - |\n| north | 6:20 |',
    '![map](https://harbour.example/map.png) [go](javascript:document.title=1) [site](https://harbour.example/site) <b>raw</b>',
  ].join('\n\n');
  const { page, complaints, requests } = await openConversation(63, { response_body: answer(content) });
  const article = page.locator(`${conversation} article`).first();
  await article.locator('strong', { hasText: 'Two' }).waitFor();
  await expect.poll(() => article.locator('li').allInnerTexts()).toEqual(['the first', 'the second']);
  await expect.poll(() => article.locator('td').allInnerTexts()).toEqual(['north', '6:20']);
  await expect.poll(() => article.locator('img, b').count()).toBe(0);
  const links = async (): Promise<readonly string[]> =>
    Promise.all(
      (await article.locator('a').all()).map(async (link) => `${await link.innerText()} ${(await link.getAttribute('href')) ?? ''}`),
    );
  await expect.poll(links).toEqual(['Picture: map https://harbour.example/map.png', 'site https://harbour.example/site']);
  await page.getByRole('button', { name: 'Markdown: on' }).click();
  await expect.poll(() => article.innerText()).toContain('**Two** sail, `echo` one:');
  await page.reload();
  await page.getByRole('button', { name: 'Markdown: off' }).waitFor();
  await expect.poll(() => article.innerText()).toContain('## Sailings');
  expect(requests.some((request) => request.url().includes('harbour.example'))).toBe(false);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('properties by which the service was told of a session stand apart, and the way out beside the title', async () => {
  const properties = { Team: 'search', 'Svc-Session-Path': '/ask' };
  const { page } = await openConversation(64, { properties, prompt_tokens: 1, completion_tokens: 2 });
  const own = detail(page).locator('section[aria-label=Properties]');
  await expect.poll(() => own.locator('dl').innerText()).toMatch(/^Team\s+search$/);
  await expect.poll(() => detail(page).locator('dl').first().innerText()).toMatch(/1 token\n/);
  await page.getByRole('button', { name: 'Pin to compare' }).click();
  const [title, close] = [detail(page).getByRole('heading').first(), detail(page).getByRole('button', { name: 'Close the request' })];
  const places = async (): Promise<object> => {
    const [titled, closing] = [await title.boundingBox(), await close.boundingBox()];
    const heights = (titled?.y ?? 0) + (titled?.height ?? 0) / 2 - (closing?.y ?? 0) - (closing?.height ?? 0) / 2;
    return { isOneLine: Math.abs(heights) < 8, isBehind: (closing?.x ?? 0) > (titled?.x ?? Infinity) };
  };
  await expect.poll(places).toEqual({ isOneLine: true, isBehind: true });
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.locator('section[aria-label="Recorded headers"]', { hasText: 'Svc-Session-Path' }).getByText('/ask').waitFor();
  await page.context().close();
});

it('an overview without a request shows the first one that comes', async () => {
  const overview = new URL('/?q=user%3Anora&range=1h', scene.addressOf({}));
  const { page, complaints } = await openSignedIn(scene.browser, overview.href);
  await page.getByText('No request matches').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).waitFor();
  await scene.send('nora');
  await page.getByRole('heading', { name: 'What moved most' }).waitFor();
  await page.getByText('No request matches').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await page.context().close();
});
