import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { desktop, expectGoodPage, openSignedIn, tabTo } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { leavePage, views, type WatchedPage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let readOnlyKey: string;
let echoed: string;

const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202Eabc\u2066';
const sessionId = 'ferry 4711/%?#';
const id = (number: number): string => `8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f00${String(number).padStart(2, '0')}`;
const [first, second, large, other] = [id(1), id(2), id(3), id(4)];
const recording = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`src/providers/openai/__fixtures__/${name}.json`, 'utf8')) as Record<string, unknown>;

const weather = { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"port":"Malmö"}' } };
const calls = {
  role: 'assistant',
  content: null,
  reasoning_content: 'The tides come first.',
  tool_calls: [weather],
};
const firstBody = { ...recording('chat-request'), temperature: 0.2 };
const secondBody = {
  ...firstBody,
  temperature: 0.9,
  messages: [
    ...(firstBody as unknown as { messages: readonly unknown[] }).messages,
    calls,
    { role: 'tool', tool_call_id: 'call_2', content: 'Rain, 7 °C.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: hostile },
        { type: 'image_url', image_url: { url: 'https://harbour.example/pier.png' } },
      ],
    },
  ],
};

/** Some five megabytes. */
function largeBody(): object {
  const entries = Array.from({ length: 60_000 }, (_none, at) => ({
    i: at,
    text: 'The harbour opens at six and the ferry leaves at 6:20.',
  }));
  return { messages: [{ role: 'user', content: `${'long '.repeat(2000)}end` }], seed: 12345, entries };
}

function line(number: number, rest: Readonly<Record<string, unknown>>): string {
  const arrived = new Date(Date.now() - 60_000 + number * 1000).toISOString();
  return JSON.stringify({
    request_id: id(number),
    request_created_at: arrived,
    provider: 'OPENAI',
    request_path: '/v1/chat/completions',
    response_status: 200,
    ...rest,
  });
}

async function importRecords(lines: readonly string[]): Promise<void> {
  const response = await fetch(`${service.api}/v1/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const { data } = (await response.json()) as { data: { imported: number } };
  expect(data.imported).toBe(lines.length);
}

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  const api = apiClient(service.api);
  const session = { session_id: sessionId, request_user_id: 'ann', properties: { Team: 'search', Tenant: 'harbour' } };
  const measured = { latency: 2410, time_to_first_token: 620, gateway_overhead_ms: 12, prompt_tokens: 1830, completion_tokens: 117 };
  const attempts = [
    { provider: 'AZURE', status: 0, ms: 812, error: 'provider_unreachable' },
    { provider: 'OPENAI', status: 200, ms: 1590 },
  ];
  await importRecords([
    line(1, { ...session, ...measured, attempts, request_body: firstBody, response_body: { choices: [{ message: calls }] } }),
    line(2, { ...session, ...measured, latency: 3900, request_body: secondBody, response_body: recording('chat-response'), cost: 0.0123 }),
    line(3, { request_body: largeBody() }),
    line(4, { request_body: { anything: [1] }, response_body: { error: { type: 'rate_limit', message: 'Too many requests.' } } }),
  ]);
  const sent = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, 'svc-properties': '{"Team": "it\'s"}' },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: "it's $(date) `date`" }] }),
  });
  echoed = sent.headers.get('svc-id') ?? '';
  for (const one of [second, large, other, echoed]) await api.stored(one);
  const key = await api.call<{ apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'reader', key_permissions: 'r' });
  readOnlyKey = key.body.data.apiKey;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const conversation = '[aria-label=Conversation]';

const addressOf = (request: string, tab?: string): string =>
  `${service.api}/requests?range=all&request=${request}${tab === undefined ? '' : `&tab=${tab}`}`;

async function open(request: string, key?: string): Promise<WatchedPage> {
  const watched = await openSignedIn(browser, addressOf(request), desktop, key);
  await watched.page.waitForSelector('aside [role=tab]');
  return watched;
}

function detail(page: Page): Locator {
  return page.locator('aside[aria-label=Request]');
}

describe.each(views)('at $width pixels, $colorScheme', (view) => {
  it('every view of a request is readable for everybody, asks nobody else, and asks the API at most four times', async () => {
    const watched = await openSignedIn(browser, `${service.api}/requests`, view);
    await watched.page.waitForSelector('[role=grid]');
    for (const [address, part] of [
      [addressOf(first), `${conversation} article`],
      [addressOf(second), `${conversation} a`],
      [addressOf(other), `${conversation} [role=status]`],
      [addressOf(first, 'raw'), '.cm-content'],
      [addressOf(large, 'raw'), '.cm-content'],
      [addressOf(first, 'details'), '[aria-label=Attempts] table'],
      [addressOf(second, 'cost'), '[aria-label="Lines of the cost"] table'],
      [addressOf(first, 'changes'), '[role=tabpanel] h2'],
      [`${service.api}/requests/compare?left=${first}&right=${second}`, '[aria-label=Messages] li'],
    ] as const) {
      await expectGoodPage(watched, { address, part });
    }
    expect(watched.complaints).toEqual([]);
    await leavePage(watched.page);
  });
});

it('a call of a tool has its result inside, a picture in the body is shown, and reasoning can be opened', async () => {
  const { page, complaints } = await open(first);
  const part = page.locator(conversation);
  await part.getByRole('button', { name: 'earlier messages' }).click();
  const picture = part.locator('img');
  await picture.waitFor();
  await expect.poll(() => picture.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo=');
  // The result is new in this turn; its call was sent before, and can be looked at.
  const result = part.getByRole('group', { name: 'Result of timetable' });
  await expect.poll(() => result.innerText()).toContain('06:20, 07:40');
  const asked = part.getByRole('group', { name: 'Call of weather' });
  await expect.poll(() => asked.innerText()).toContain('"port": "Malmö"');
  await part.getByText('Reasoning', { exact: true }).click();
  await part.getByText('The tides come first.').waitFor();
  await page.goto(addressOf(second));
  await part.getByRole('button', { name: 'earlier messages' }).click();
  const call = part.getByRole('group', { name: 'Call of timetable' });
  await expect.poll(() => call.innerText()).toContain('06:20, 07:40');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('what is new in a turn is told from what the request before it sent, and what callers sent never runs', async () => {
  const { page, complaints, requests } = await open(second);
  const part = page.locator(conversation);
  await part.getByText('New in this turn since the request before it in its session').waitFor();
  await expect.poll(() => part.locator('article').allInnerTexts()).toHaveLength(3);
  await expect.poll(() => part.innerText()).not.toContain('Good morning.');
  await expect.poll(() => part.innerText()).toContain('<script>document.title=1</script>');
  const link = part.getByRole('link', { name: 'https://harbour.example/pier.png' });
  await expect.poll(() => link.getAttribute('rel')).toBe('noreferrer noopener');
  await expect.poll(() => part.locator('img').count()).toBe(0);
  await part.getByRole('button', { name: '7 earlier messages' }).click();
  await part.getByText('Good morning.', { exact: true }).waitFor();
  expect(await page.title()).toBe('Gatelog');
  expect(requests.some((request) => request.url().includes('harbour.example'))).toBe(false);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a body that no format explains is said to be one, and an error is shown as such', async () => {
  const { page } = await open(other);
  await page.getByText('The body of the request has no messages that this page can read.').waitFor();
  await expect.poll(() => page.locator(conversation).innerText()).toContain('rate_limit\nToo many requests.');
  await page.getByRole('button', { name: 'View raw' }).click();
  await page.waitForURL(/tab=raw/);
  await page.waitForSelector('.cm-content');
  await leavePage(page);
});

it('properties are added, changed and removed in place, and every query sees it', async () => {
  const { page, complaints } = await open(first);
  const api = apiClient(service.api);
  const idsWith = async (name: string, value: string): Promise<readonly string[]> =>
    (await api.query({ request_response_rmt: { properties: { [name]: { equals: value } } } })).map((item) => item.request_id);
  const part = detail(page).locator('section[aria-label=Properties]');
  await part.getByRole('button', { name: 'Edit properties' }).click();
  await part.getByRole('button', { name: 'Change Team' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(hostile.slice(0, 40));
  await page.keyboard.press('Enter');
  await part.locator('dd', { hasText: hostile.slice(0, 40) }).waitFor();
  expect(await idsWith('Team', hostile.slice(0, 40))).toEqual([first]);
  await part.getByRole('button', { name: 'Add a property' }).click();
  await page.keyboard.type('Reviewed');
  await page.keyboard.press('Tab');
  await page.keyboard.type('yes');
  await page.keyboard.press('Enter');
  await part.locator('dt', { hasText: 'Reviewed' }).waitFor();
  expect(await idsWith('Reviewed', 'yes')).toEqual([first]);
  await part.getByRole('button', { name: 'Remove Tenant' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Tenant' }).click();
  await part.locator('dt', { hasText: 'Tenant' }).waitFor({ state: 'detached' });
  expect(await idsWith('Tenant', 'harbour')).toEqual([second]);
  await page.getByRole('tab', { name: 'Changes' }).click();
  const rows = page.locator('[aria-label=Changes] tbody tr');
  await expect.poll(async () => (await rows.locator('td:nth-child(3)').allInnerTexts()).toSorted()).toEqual(['Reviewed', 'Team', 'Tenant']);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a name that is too long says so at its field, and is not sent', async () => {
  const { page, complaints } = await open(first);
  const part = detail(page).locator('section[aria-label=Properties]');
  await part.getByRole('button', { name: 'Edit properties' }).click();
  await part.getByRole('button', { name: 'Add a property' }).click();
  await part.getByLabel('Name').fill('x'.repeat(129));
  await part.getByText('Write at most 128 characters.').waitFor();
  await expect.poll(() => part.getByRole('button', { name: 'Add', exact: true }).isEnabled()).toBe(false);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('scores and feedback are given, and every query sees them', async () => {
  const { page, complaints } = await open(second);
  const part = detail(page).locator('section[aria-label="Scores and feedback"]');
  await part.getByRole('button', { name: 'Add a score' }).click();
  await page.keyboard.type('helpful');
  await page.keyboard.press('Tab');
  await page.keyboard.type('0.75');
  await page.keyboard.press('Enter');
  await part.getByText('0.75').waitFor();
  await part.getByRole('button', { name: 'Rate as bad' }).click();
  await part.getByText('Bad', { exact: true }).waitFor();
  const found = await apiClient(service.api).query({ request_response_rmt: { scores: { helpful: { gte: 0.75 } } } });
  expect(found.map((item) => [item.request_id, item.scores['helpful'], item.feedback_rating])).toEqual([[second, 0.75, false]]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a key that only reads sees no way to change anything', async () => {
  const { page } = await open(first, readOnlyKey);
  await page.locator(`${conversation} article`).first().waitFor();
  const names = await detail(page).getByRole('button').allInnerTexts();
  expect(names.filter((name) => /change|remove|add|rate|edit/i.test(name))).toEqual([]);
  await leavePage(page);
});

it('two requests are compared: messages aligned, what differs marked; without a left one it is the one before', async () => {
  const { page, complaints } = await open(second);
  await detail(page).getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`/requests/compare\\?right=${second}`));
  const differing = page.locator('tr[data-differs=true]');
  const names = (): Promise<readonly string[]> => differing.locator('th').allInnerTexts();
  await expect.poll(names).toEqual(expect.arrayContaining(['Cost', 'Latency', 'temperature']));
  expect(await names()).not.toContain('model');
  await expect.poll(() => differing.filter({ hasText: 'Latency' }).innerText()).toMatch(/2\.41 s\s+3\.90 s\s+\+61\.8%/);
  const messages = page.locator('[aria-label=Messages] > ol > li');
  await expect
    .poll(async () => (await messages.allInnerTexts()).map((text) => /only right|same/.exec(text)?.[0]))
    .toEqual([...Array.from({ length: 7 }, () => 'same'), ...Array.from({ length: 3 }, () => 'only right')]);
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.waitForURL(new RegExp(`left=${second}&right=${first}`));
  await messages.getByText('only left').first().waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a body of megabytes is opened raw, is searched and folded, and only a part of it is in the page', async () => {
  const { page, complaints } = await open(large);
  await page
    .locator(conversation)
    .getByRole('button', { name: /Show all [\d,]+ characters/ })
    .first()
    .waitFor();
  await expect.poll(() => page.locator(conversation).innerText()).not.toContain('long end');
  await page.getByRole('tab', { name: 'Raw' }).click();
  const body = page.locator('section[aria-label=Request]');
  const content = body.locator('.cm-content');
  await content.waitFor();
  await expect.poll(() => content.locator('.cm-line').count()).toBeLessThan(500);
  await body.getByRole('button', { name: 'Fold', exact: true }).click();
  await content.getByText('"seed": 12345,').waitFor();
  await expect.poll(() => content.locator('.cm-line').count()).toBeLessThan(20);
  await expect.poll(() => content.locator('.cm-json-number').innerText()).toBe('12345');
  await body.getByRole('button', { name: 'Unfold', exact: true }).click();
  await body.getByRole('button', { name: 'Search' }).click();
  await page.keyboard.type('"i": 59999');
  await page.keyboard.press('Enter');
  await content.locator('.cm-searchMatch-selected').waitFor();
  await expect
    .poll(() => content.locator('.cm-line', { has: page.locator('.cm-searchMatch-selected') }).innerText())
    .toContain('"i": 59999');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('at its address, a body of megabytes begins before it has come, and goes on once it has', async () => {
  const { page, complaints } = await open(first);
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/v1/request/${large}`, async (route) => released.then(() => route.continue()));
  await page.goto(addressOf(large, 'raw'));
  const body = page.locator('section[aria-label=Request]');
  await body.locator('.cm-content').getByText('"messages": [').waitFor();
  const search = body.getByRole('button', { name: 'Search' });
  await expect.poll(() => search.isDisabled()).toBe(true);
  release?.();
  await expect.poll(() => search.isDisabled()).toBe(false);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

const times = <Item>(count: number, item: Item): readonly Item[] => Array.from({ length: count }, () => item);

it('what a body has thousands of is shown in parts, and arguments of any depth as they are', async () => {
  const deep = `${'['.repeat(8000)}${']'.repeat(8000)}`;
  const parts = times(3000, { type: 'text', text: 'one of many' });
  const tools = [{ id: 'c', type: 'function', function: { name: 'deep', arguments: deep } }];
  await importRecords([
    line(6, {
      request_body: { messages: [{ role: 'user', content: parts }] },
      response_body: { choices: [{ message: { tool_calls: tools } }] },
    }),
    line(7, { response_body: { choices: times(3000, { message: { role: 'assistant', content: 'a choice' } }) } }),
  ]);
  await apiClient(service.api).stored(id(7));
  const { page, complaints } = await open(id(6));
  const shown = page.locator(conversation);
  await shown.getByRole('group', { name: 'Call of deep' }).getByText('[[[[').waitFor();
  await expect.poll(() => shown.getByText('one of many').count()).toBe(100);
  await shown.getByRole('button', { name: 'Show 100 more of 2,900 after these' }).click();
  await expect.poll(() => shown.getByText('one of many').count()).toBe(200);
  await page.goto(addressOf(id(7)));
  await shown.getByRole('button', { name: 'Show 100 more of 2,900 after these' }).waitFor();
  await expect.poll(() => shown.getByText('a choice').count()).toBe(100);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the command that is copied makes the same call', async () => {
  const { page, complaints } = await open(echoed);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await detail(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  await page.getByText('Copied').waitFor();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(command).not.toContain(testKey);
  const environment = { PATH: process.env['PATH'], GATELOG_API_KEY: testKey, GATELOG_GATEWAY_URL: service.gateway };
  const answer = execFileSync('sh', ['-c', command.replace('curl ', 'curl -s -D - ')], { env: environment }).toString();
  const [, again = ''] = /^svc-id: (\S+)/im.exec(answer) ?? [];
  const api = apiClient(service.api);
  const [before, repeated] = [await api.stored(echoed), await api.stored(again)];
  expect([repeated.request_body, repeated.properties]).toEqual([before.request_body, before.properties]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('all of it is operated by the keyboard alone, and the focus returns', async () => {
  const { page } = await openSignedIn(browser, `${service.api}/requests?range=all&q=id%3A${second}`);
  await page.waitForSelector('[role=grid] [role=gridcell]');
  await tabTo(page, 'grid', 'Requests');
  await page.keyboard.press('j');
  await detail(page).getByRole('tab', { selected: true }).waitFor();
  await tabTo(page, 'button', 'Edit properties');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Change Team');
  await page.keyboard.press('Enter');
  await detail(page).getByRole('textbox', { name: 'Value of Team' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await detail(page).getByRole('button', { name: 'Change Team' }).and(page.locator(':focus')).waitFor();
  expect(new URL(page.url()).searchParams.get('request')).toBe(second);
  await tabTo(page, 'tab', 'Conversation');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/tab=details/);
  await page.getByText('Until the first token').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/tab=cost/);
  await page.getByText('The caller stated it').waitFor();
  await leavePage(page);
});
