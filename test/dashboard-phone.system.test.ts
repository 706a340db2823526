import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { openSignedIn } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';
import { leavePage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let api: ApiClient;

const session = 'b5a2e0d4-0c7f-4f0e-9d51-6a1c2f3f0001';

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  api = apiClient(service.api);
  const line = {
    request_id: '6d1c2b7e-3f0a-4c11-8b52-1a3c2f2f0001',
    request_created_at: new Date(Date.now() - 1_200_000).toISOString(),
    provider: 'OPENAI',
    request_path: '/v1/chat/completions',
    request_model: 'gpt-4o',
    response_status: 200,
    cost: 0.5,
    session_id: session,
    session_name: 'Nightly report',
  };
  await api.call('POST', '/v1/import', JSON.stringify(line));
  await api.stored(line.request_id);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const open = (address: string) => openSignedIn(browser, service.api + address, { width: 390, colorScheme: 'light' });

/** How much of the name of a row is cut off at its end. */
async function hiddenPixels(page: Page, name: string): Promise<number> {
  await page.getByRole('rowheader', { name }).waitFor();
  const text = `Array.from(document.querySelectorAll('tbody th .clip')).find(({ title }) => title === ${JSON.stringify(name)})`;
  return page.evaluate<number>(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(${text})`);
}

it('what Explore asks is a line, which opens, and the figures are in view', async () => {
  const { page, complaints } = await open('/explore?range=1h&metrics=%5B%22cost%22%2C%22count%22%5D&by=%5B%22model%22%5D');
  await page.getByRole('button', { name: 'Cost, Requests by Model · Lines' }).waitFor();
  const figure = page.getByRole('figure', { name: 'Cost' });
  await figure.waitFor();
  await expect.poll(() => page.getByRole('button', { name: /Metric 1/ }).count()).toBe(0);
  await expect.poll(async () => (await figure.boundingBox())?.y).toBeLessThan(420);
  await page.getByRole('button', { name: 'Cost, Requests by Model · Lines' }).click();
  await page.getByRole('button', { name: 'Remove Requests' }).click();
  await page.getByRole('button', { name: 'Cost by Model · Lines' }).click();
  await page.getByRole('button', { name: /Metric 1/ }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the names of keys and limits are whole', async () => {
  const name = 'Nightly evaluation of the support team';
  await api.call('POST', '/v1/api-keys', { api_key_name: name, key_permissions: 'r' });
  await api.call('PUT', '/v1/rate-limits', [{ policy: '5000;calendar=day;tz=America/North_Dakota/New_Salem;u=cents' }]);
  const { page } = await open('/keys');
  expect(await hiddenPixels(page, name)).toBe(0);
  await page.goto(`${service.api}/limits`);
  expect(await hiddenPixels(page, '$50.00 per day (America/North_Dakota/New_Salem)')).toBe(0);
  await leavePage(page);
});

it('the preview of a rule calls sessions by their names', async () => {
  const { page, complaints } = await open('/alerts/new?metric=count&by=%5B%22session%22%5D&threshold=1');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByRole('list', { name: 'Incidents of the preview' }).getByText('Session: Nightly report').waitFor();
  await preview.getByRole('figure').getByText('Nightly report').first().waitFor();
  await expect.poll(() => preview.innerText()).not.toContain(session);
  expect(complaints).toEqual([]);
  await leavePage(page);
});
