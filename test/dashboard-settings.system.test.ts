import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeReceivers, startReceiver } from '../src/events/channels/testing/receiver.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { desktop, openSignedIn, tabTo } from './support/dashboard.ts';
import { eventually } from './support/eventually.ts';
import { logCall } from './support/log-call.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';
import { createWebhook, deliveriesOf } from './support/webhook-scene.ts';
import { leavePage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let environment: Readonly<Record<string, string>>;
let service: Service;
let browser: Browser;
let api: ApiClient;

async function send(headers: Readonly<Record<string, string>> = {}, key = testKey): Promise<Response> {
  return fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Where is my order?' }] }),
  });
}

beforeAll(async () => {
  environment = {
    GATELOG_INGEST_INTERVAL_MS: '20',
    GATELOG_TARGET_ALLOWLIST: 'localhost',
    GATELOG_GATEWAY_PORT: String(await stablePort()),
    GATELOG_API_PORT: String(await stablePort()),
  };
  service = await startService({ dataDir, environment });
  api = apiClient(service.api);
  for (const team of ['search', 'search', 'checkout']) {
    await send({ 'svc-properties': JSON.stringify({ Team: team }), 'svc-user-id': 'ann' });
  }
  await eventually('the calls', async () => ((await api.query('all')).length === 3 ? true : undefined));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  closeReceivers();
  removeDataDir(dataDir);
});

const open = (address: string, key = testKey) => openSignedIn(browser, service.api + address, desktop, key);
const dialog = (page: Page) => page.getByRole('dialog');

it('a webhook is made, shows its secret once, and a delivery that failed is looked at and made again', async () => {
  let status = 500;
  const receiver = await startReceiver((response) => void response.writeHead(status, { 'x-reason': 'maintenance' }).end());
  const { page, complaints } = await open('/webhooks/new');
  await page.getByLabel('Search requests').fill('Team:search');
  await page.getByLabel('Destination').fill(`${receiver.origin}/hook`);
  await page.getByLabel('Name').fill('ops');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect.poll(() => dialog(page).innerText()).toMatch(/whsec_\S+/);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'ops' }).waitFor();
  await page.getByText('Nothing was sent yet').waitFor();
  // An event is called as in the form that it was chosen in.
  await page.getByText('Events: Request recorded').waitFor();

  await send({ 'svc-properties': '{"Team": "checkout"}' });
  await send({ 'svc-properties': '{"Team": "search"}' });
  await eventually('a delivery', () => (receiver.posts.length > 0 ? true : undefined));
  const row = page.getByRole('row', { name: /pending .*Request recorded [1-9]\d* 500/ });
  await row.waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await row.getByRole('button', { name: /^Show the attempts/ }).click();
  const attempt = dialog(page).getByRole('region', { name: 'Attempt 1' });
  await expect.poll(() => attempt.innerText()).toMatch(/POST \/hook[\S\s]*webhook-id: [\S\s]*500[\S\s]*x-reason: maintenance/i);
  status = 200;
  await dialog(page).getByRole('button', { name: 'Retry' }).click();
  await dialog(page).getByText('Sent again, with the same webhook-id.').waitFor();
  await eventually('another attempt', () => (receiver.posts.length > 1 ? true : undefined));
  expect(new Set(receiver.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  // The dialog and the list follow by themselves.
  await dialog(page).getByText('delivered').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /delivered .*Request recorded/ }).waitFor();

  await page.getByRole('button', { name: 'Delete the webhook' }).click();
  await dialog(page).getByRole('button', { name: 'Delete the webhook' }).click();
  await page.waitForURL(/\/webhooks$/);
  expect((await api.call<readonly unknown[]>('GET', '/v1/webhooks')).body.data).toEqual([]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('what failed is delivered again as a whole', async () => {
  let status = 410;
  const receiver = await startReceiver((response) => void response.writeHead(status).end());
  const { id } = await createWebhook(service, `${receiver.origin}/`);
  await send();
  await eventually('a failure', async () => ((await deliveriesOf(service, id)).some(({ state }) => state === 'failed') ? true : undefined));
  const { page } = await open(`/webhooks/${id}`);
  await page.getByText('The destination answered 410').waitFor();
  status = 200;
  await page.getByRole('region', { name: 'Destination' }).getByText(`${receiver.origin}/`).waitFor();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('The destination answered 410').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Retry failed' }).click();
  await dialog(page).getByRole('button', { name: 'Retry failed' }).click();
  await eventually('the delivery', async () =>
    (await deliveriesOf(service, id)).some(({ state }) => state === 'delivered') ? true : undefined,
  );
  expect((await deliveriesOf(service, id)).map(({ state }) => state)).toEqual(['delivered']);
  await page.getByRole('row', { name: /delivered .*Request recorded/ }).waitFor();
  await api.call('DELETE', `/v1/webhooks/${id}`);
  await leavePage(page);
});

it('a webhook says what is wrong with it before it is sent, and an empty sample rate means all requests', async () => {
  const { page, requests } = await open('/webhooks/new');
  await page.getByLabel('Destination').fill('ops');
  await page.getByText('Write a whole address, such as https://example.com/events.').waitFor();
  await page.getByLabel('Sample rate, %').fill('250');
  await page.getByText('Write at most 100.').waitFor();
  const create = page.getByRole('button', { name: 'Create webhook' });
  await expect.poll(() => create.isEnabled()).toBe(false);
  await page.getByLabel('Destination').fill('https://localhost:1/all');
  await page.getByLabel('Sample rate, %').fill('');
  await page.getByText('empty means all of them').waitFor();
  expect(requests.filter((request) => request.method() === 'POST' && request.url().endsWith('/v1/webhooks'))).toEqual([]);
  await create.click();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  const facts = page.getByRole('region', { name: 'Destination' });
  await facts.getByText('100%').waitFor();
  const [made] = (await api.call<readonly { readonly id: string }[]>('GET', '/v1/webhooks')).body.data;
  await api.call('DELETE', `/v1/webhooks/${made?.id ?? ''}`);
  await leavePage(page);
});

/** What a page sends that changes something. */
function changesOf(requests: readonly { readonly method: () => string; readonly url: () => string }[], path: string): readonly string[] {
  return requests.filter((request) => request.method() !== 'GET' && request.url().endsWith(path)).map((request) => request.method());
}

it('a price and a key of a provider say what is wrong with them before they are sent', async () => {
  const { page, requests, complaints } = await open('/prices');
  await page.getByRole('button', { name: 'Set a price' }).first().click();
  const save = dialog(page).getByRole('button', { name: 'Save' });
  await dialog(page).getByLabel('Model', { exact: true }).fill('acme-*-b');
  await dialog(page).getByText('A “*” stands only at the end').waitFor();
  await dialog(page).getByLabel('Provider', { exact: true }).fill('opnai');
  await dialog(page).getByText('No provider has this name.').waitFor();
  await dialog(page).getByLabel('Input, $ per million').first().fill('-1');
  await dialog(page).getByText('Write at least 0.').waitFor();
  await dialog(page).getByText('Correct the marked fields.').waitFor();
  await expect.poll(() => save.isEnabled()).toBe(false);
  await page.keyboard.press('Escape');
  const past = page.getByRole('form', { name: 'Update past costs' });
  await past.getByLabel('From').fill('2026-02-31');
  await past.getByText('Write a day such as 2026-01-31').waitFor();
  await past.getByLabel('From').fill('2026-02-03');
  await past.getByLabel('To').fill('2026-02-01');
  await past.getByText('Write the first day or a later one.').waitFor();
  await expect.poll(() => past.getByRole('button', { name: 'Preview' }).isEnabled()).toBe(false);
  await page.goto(`${service.api}/provider-keys`);
  await page.getByRole('button', { name: 'Add a key' }).click();
  await dialog(page).getByLabel('Provider', { exact: true }).fill('opnai');
  await dialog(page).getByText('No provider has this name.').waitFor();
  await dialog(page).getByLabel('Key', { exact: true }).fill('Bearer sk-abc');
  await dialog(page).getByText('Leave “Bearer” out.').waitFor();
  await expect.poll(() => dialog(page).getByRole('button', { name: 'Add the key' }).isEnabled()).toBe(false);
  expect([changesOf(requests, '/v1/prices'), changesOf(requests, '/v1/provider-keys')]).toEqual([[], []]);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a shorter retention says how many requests it deletes, and asks', async () => {
  const longAgo = Date.now() - 100 * 86_400_000;
  await logCall(api, { at: longAgo });
  const count = { metrics: ['count'], timeFilter: { endTimeUnixMs: longAgo + 86_400_000 } };
  await eventually('the old request', async () => {
    const { body } = await api.call<readonly { readonly count: number }[]>('POST', '/v1/metrics/query', count);
    return body.data[0]?.count === 1 ? true : undefined;
  });
  const kept = async (): Promise<number | null> =>
    (await api.call<{ readonly days: number | null }>('GET', '/v1/retention')).body.data.days;
  const { page } = await open('/data');
  const days = page.getByLabel('Days');
  const save = page.getByRole('button', { name: 'Save' });
  await days.fill('1.5');
  await page.getByText('Write a whole number, such as 30.').waitFor();
  await expect.poll(() => save.isEnabled()).toBe(false);
  await days.fill('30');
  await save.click();
  await dialog(page).getByText('1 request older than 30 days will be deleted for good').waitFor();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  expect(await kept()).toBeNull();
  await save.click();
  await dialog(page).getByRole('button', { name: 'Delete 1 request' }).click();
  await page.getByText('Requests are kept for 30 days.').waitFor();
  expect(await kept()).toBe(30);
  // A longer time deletes nothing, so nobody is asked.
  await days.fill('60');
  await save.click();
  await page.getByText('Requests are kept for 60 days.').waitFor();
  await leavePage(page);
});

it('the health page draws the last hour', async () => {
  const { page, complaints } = await open('/health');
  const hour = page.getByRole('region', { name: 'Last hour' });
  for (const name of [
    'Requests per second',
    'Gateway latency added, p95',
    'Delay until visible, p95',
    'Spool size',
    'Memory, all processes',
  ]) {
    await hour.getByRole('figure', { name }).waitFor();
  }
  await hour.getByRole('button', { name: 'Table of Memory, all processes' }).click();
  await hour
    .getByRole('row', { name: /MiB|GiB/ })
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the ring of the focus is drawn once', async () => {
  const { page } = await open('/alerts/new');
  const button = page.getByRole('button', { name: 'Cost When' });
  await page.getByLabel('Search requests').focus();
  await tabTo(page, 'button', 'Cost When');
  const ringsOf =
    'let rings = 0; for (let element = document.activeElement; element; element = element.parentElement) rings += Number(getComputedStyle(element).outlineStyle !== "none"); rings';
  await button.waitFor();
  await expect.poll(() => page.evaluate<number>(ringsOf)).toBe(1);
  await leavePage(page);
});

it('a key is made, sends calls, is given other permissions, and is refused once it is revoked', async () => {
  const { page, complaints } = await open('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog(page).getByLabel('Name').fill('checkout');
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  const key = await dialog(page).locator('code').innerText();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('row', { name: /^checkout .* valid/ }).waitFor();
  expect((await send({}, key)).status).toBe(200);

  await page.getByRole('button', { name: 'Edit checkout' }).click();
  await dialog(page)
    .getByRole('button', { name: /Permissions$/ })
    .click();
  await page.getByRole('option', { name: 'r: query' }).click();
  await dialog(page).getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('row', { name: /^checkout \S+ query / }).waitFor();
  await eventually('the gateway to know', async () => ((await send({}, key)).status === 403 ? true : undefined));

  await page.getByRole('button', { name: 'Revoke checkout' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke checkout' }).click();
  await page.getByRole('row', { name: /^checkout/ }).waitFor({ state: 'detached' });
  await eventually('the gateway to know', async () => ((await send({}, key)).status === 401 ? true : undefined));
  await page.getByText('Show revoked keys').click();
  await page.getByRole('row', { name: /^checkout .* revoked/ }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a question becomes a panel of a board, and the board is JSON in and out', async () => {
  const { page, complaints } = await open('/explore?range=1h&metrics=%5B%22count%22%5D&by=%5B%22properties.Team%22%5D&chart=table');
  await page.getByRole('row', { name: /^search [2-9]/ }).waitFor();
  await page.getByRole('button', { name: 'Save to a board' }).click();
  await expect.poll(() => dialog(page).getByLabel('Title').inputValue()).toBe('Requests by Team');
  await dialog(page).getByLabel('Name of the board').fill('Spend');
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Spend' }).waitFor();
  await page
    .getByRole('region', { name: 'Requests by Team' })
    .getByRole('row', { name: /^search/ })
    .waitFor();
  await page.getByRole('button', { name: 'JSON' }).click();
  const json = JSON.parse(await dialog(page).getByLabel('JSON', { exact: true }).inputValue()) as {
    readonly name: string;
    readonly panels: readonly object[];
  };
  expect(json).toMatchObject({ name: 'Spend', panels: [{ title: 'Requests by Team', chart: 'table', metrics: ['count'] }] });
  await page.keyboard.press('Escape');

  await page.goto(`${service.api}/boards`);
  await page.getByRole('button', { name: 'From JSON' }).click();
  await dialog(page).getByLabel('JSON', { exact: true }).fill('{"name": "Copy"');
  await expect.poll(() => dialog(page).getByRole('button', { name: 'Create' }).isEnabled()).toBe(false);
  await dialog(page)
    .getByLabel('JSON', { exact: true })
    .fill(JSON.stringify({ ...json, name: 'Copy' }));
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Copy' }).waitFor();
  await page
    .getByRole('region', { name: 'Requests by Team' })
    .getByRole('row', { name: /^checkout/ })
    .waitFor();
  await page.getByRole('button', { name: 'Delete the board' }).click();
  await dialog(page).getByText('1 panel goes with it.').waitFor();
  await dialog(page).getByRole('button', { name: 'Delete the board' }).click();
  await page.waitForURL(/\/boards$/);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a limit that is used up is seen in the list, and on Overview', async () => {
  await api.call('PUT', '/v1/rate-limits', [{ policy: '2;w=86400;s=Team' }]);
  const { page } = await open('/limits');
  const row = page.getByRole('row', { name: /2 requests per 24 h .*search: \d+ of 2 .*each Team/ });
  await row.waitFor();
  // Also with a thumb: nothing lies over the button in a narrow window.
  await page.setViewportSize({ width: 390, height: 844 });
  await row.getByRole('button', { name: /^Show all/ }).click();
  await dialog(page)
    .getByRole('row', { name: /^checkout [12] / })
    .waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${service.api}/`);
  await page.getByText(/Limit used up: Team “search”: \d+ of 2 requests per 24 h/).waitFor();
  await page.getByRole('link', { name: 'Show limits' }).click();
  await row.waitFor();
  expect(new URL(page.url()).pathname).toBe('/limits');
  await api.call('PUT', '/v1/rate-limits', []);
  await leavePage(page);
});

it('a key that only reads finds no button that would fail, and is told what it may not see', async () => {
  const { body } = await api.call<{ readonly apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'reader', key_permissions: 'r' });
  const { page, complaints } = await open('/', body.data.apiKey);
  await page.locator('article').first().waitFor();
  for (const address of [
    '/requests',
    '/sessions',
    '/explore',
    '/boards',
    '/properties',
    '/users',
    '/webhooks',
    '/provider-keys',
    '/people',
    '/audit',
    '/prices',
    '/limits',
    '/data',
  ]) {
    await page.goto(service.api + address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    const links = await page.getByRole('main').getByRole('link').allInnerTexts();
    const changing = [...names, ...links].filter((name) =>
      /^(?:make|new|create|add|store|edit|delete|erase|declare|enable|rotate|retry|set|revoke|save|hide)\b/i.test(name),
    );
    expect({ address, changing }).toEqual({ address, changing: [] });
  }
  await page.goto(`${service.api}/keys`);
  await page.getByText('You may not see the keys').waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('while the service is away the page says so, and goes on where it was when it is back', async () => {
  const { page } = await open('/requests?q=Team%3Asearch');
  await page.locator('[role=grid] [role=rowgroup] [role=row]').first().waitFor();
  await service.stop();
  await page.getByLabel('Search requests').fill('Team:checkout');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Offline' }).first().waitFor();
  service = await startService({ dataDir, environment });
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.locator('[role=grid] [role=rowgroup] [role=row]').first().waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('Team:checkout');
  await leavePage(page);
});
