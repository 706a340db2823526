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
  expect(await page.getByRole('button', { name: /^\d+ new$/ }).count()).toBe(0);
  await page.context().close();
});

it('a range that has ended, or another order, is not live', async () => {
  const [from, to] = [Date.now() - 48 * hourMs, Date.now()].map(String) as [string, string];
  const { page, requests } = await scene.open({ q: seeded, from, to, live: 'true' });
  expect(await liveButton(page, 'Live').getAttribute('aria-pressed')).toBe('false');
  await page.goto(scene.addressOf({ q: seeded, sort: 'oldest', live: 'true' }));
  await expectShown(page, [1, 2, 3, 4, 5, 6, 7]);
  expect(await liveButton(page, 'Live').getAttribute('aria-pressed')).toBe('false');
  expect(apiPaths(requests)).not.toContain('/v1/request/stream');
  await page.goto(scene.addressOf({ q: seeded, from, to }));
  await liveButton(page, 'Live').click();
  await liveButton(page, 'Live: on').waitFor();
  expect(new URL(page.url()).searchParams.has('to')).toBe(false);
  await page.context().close();
});
