import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSignedIn } from './support/dashboard.ts';
import { hourMs, openRequestsScene, type RequestsScene, seedId } from './support/requests-list.ts';
import type { WatchedPage } from './support/watched-page.ts';

let scene: RequestsScene;
beforeAll(async () => {
  scene = await openRequestsScene();
});
afterAll(async () => scene?.end());

const conversation = '[aria-label=Conversation]';
const asked = { messages: [{ role: 'user', content: 'When does the first ferry leave?' }] };

function answer(content: string): object {
  return { choices: [{ message: { role: 'assistant', content } }] };
}

/** Stores a request and opens it. The caller closes the page's context. */
async function open(place: number, record: Readonly<Record<string, unknown>>): Promise<WatchedPage> {
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
  const { page, complaints } = await open(60, {
    request_path: '/custom/v1/log',
    request_body: { _type: 'tool', toolName: 'clock', input: { zone: 'Europe/Oslo' } },
    response_body: { hour: 7 },
  });
  const step = page.locator(conversation).getByRole('group', { name: 'Call of clock' });
  expect(await step.innerText()).toMatch(/"zone": "Europe\/Oslo"[^]*Result[^]*"hour": 7/);
  expect(await page.getByText('has no messages that this page can read').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('why a call failed stands before its answer, and the answer before the prompt', async () => {
  const failed = await open(61, { response_status: 529, response_body: { message: 'We have too many calls.' } });
  const groups = failed.page.locator(conversation).getByRole('group');
  expect(await groups.first().getAttribute('aria-label')).toBe('Error');
  expect(await groups.first().innerText()).toBe('The provider answered with an error (529)');
  expect(failed.complaints).toEqual([]);
  await failed.page.context().close();
  const { page } = await open(62, { response_body: answer('At 6:20.') });
  const titles = await page.locator(conversation).getByRole('heading').allInnerTexts();
  expect(titles).toEqual(['Answer', 'Assistant', 'Prompt', 'User']);
  await page.context().close();
});

it('markdown is shown as such until it is switched off, and nothing in it is loaded or run', async () => {
  const content = [
    '## Sailings\n\n**Two** sail, `echo` one:\n\n- the first\n- the second\n\n| pier | time |\n| - | - |\n| north | 6:20 |',
    '![map](https://harbour.example/map.png) [go](javascript:document.title=1) [site](https://harbour.example/site) <b>raw</b>',
  ].join('\n\n');
  const { page, complaints, requests } = await open(63, { response_body: answer(content) });
  const shown = page.locator(`${conversation} article`).first();
  await shown.locator('strong', { hasText: 'Two' }).waitFor();
  expect(await shown.locator('li').allInnerTexts()).toEqual(['the first', 'the second']);
  expect(await shown.locator('td').allInnerTexts()).toEqual(['north', '6:20']);
  expect(await shown.locator('img, b').count()).toBe(0);
  const links = await Promise.all(
    (await shown.locator('a').all()).map(async (link) => `${await link.innerText()} ${(await link.getAttribute('href')) ?? ''}`),
  );
  expect(links).toEqual(['Picture: map https://harbour.example/map.png', 'site https://harbour.example/site']);
  await page.getByRole('button', { name: 'Markdown: on' }).click();
  expect(await shown.innerText()).toContain('**Two** sail, `echo` one:');
  await page.reload();
  await page.getByRole('button', { name: 'Markdown: off' }).waitFor();
  expect(await shown.innerText()).toContain('## Sailings');
  expect(requests.some((request) => request.url().includes('harbour.example'))).toBe(false);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('properties by which the service was told of a session stand apart, and the way out beside the title', async () => {
  const properties = { Team: 'search', 'Svc-Session-Path': '/ask' };
  const { page } = await open(64, { properties, prompt_tokens: 1, completion_tokens: 2 });
  const own = detail(page).locator('section[aria-label=Properties]');
  await expect.poll(() => own.locator('dl').innerText()).toMatch(/^Team\s+search$/);
  expect(await detail(page).locator('dl').first().innerText()).toMatch(/1 token\n/);
  await page.getByRole('button', { name: 'Keep to compare' }).click();
  const [title, close] = [detail(page).getByRole('heading').first(), detail(page).getByRole('button', { name: 'Close the request' })];
  const [titled, closing] = [await title.boundingBox(), await close.boundingBox()];
  expect(Math.abs((titled?.y ?? 0) + (titled?.height ?? 0) / 2 - (closing?.y ?? 0) - (closing?.height ?? 0) / 2)).toBeLessThan(8);
  expect(closing?.x).toBeGreaterThan(titled?.x ?? Infinity);
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.locator('section[aria-label="Kept of headers"]', { hasText: 'Svc-Session-Path' }).getByText('/ask').waitFor();
  await page.context().close();
});
