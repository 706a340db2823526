import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { apiClient, type ApiClient } from './api.ts';
import { endPages, sharedBrowser } from './browser.ts';
import { openSignedIn } from './dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './process-tree.ts';
import type { WatchedPage } from './watched-page.ts';

/** The requests of every test, the oldest first. A request is called by its place among them. */
export const seeds = [
  { request_model: 'gpt-4o', response_status: 200, request_user_id: 'ann', properties: { Team: 'search' } },
  { request_model: 'gpt-4o', response_status: 200, request_user_id: 'ann', properties: { Team: 'search' } },
  { request_model: 'gpt-4o', response_status: 429, request_user_id: 'ann', properties: { Team: 'checkout' } },
  { request_model: 'gpt-4o-mini', response_status: 200, request_user_id: 'ben', properties: { Team: 'search' } },
  { request_model: 'gpt-4o-mini', response_status: 500, request_user_id: 'ben', properties: { Team: 'checkout' } },
  { request_model: 'gpt-4o-mini', response_status: 200, request_user_id: 'carla', properties: { Team: 'north sea' } },
  { request_model: 'claude', response_status: 200, request_user_id: 'carla', properties: {} },
] as const;

export const hourMs = 3_600_000;
export const seedId = (place: number): string => `5d1c2b7e-3f0a-4c11-8b52-1a3c2f1f00${String(place).padStart(2, '0')}`;
/** How the tests call a request that no seed is. */
export const placeOf = (id: string): number | string => seeds.findIndex((_seed, index) => seedId(index + 1) === id) + 1 || id;

export const rows = '[role=grid] [role=rowgroup] [role=row]';
export const patient = { timeout: 30_000 };
/** Only seeds, so that calls of other tests change nothing. */
export const seeded = '-provider:echo';

/** Cells of the columns, without the box that selects a row. */
export const cells = '[role=gridcell]:not([data-select])';

export async function shown(page: Page): Promise<readonly (number | string)[]> {
  return (await page.locator(`${rows} [data-select] + ${cells}`).allInnerTexts()).map(placeOf);
}

/** The list has exactly these requests, in this order. */
export async function expectShown(page: Page, places: readonly (number | string)[]): Promise<void> {
  await expect.poll(() => shown(page), patient).toEqual(places);
}

/** What is offered below the search. */
export function completions(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
}

/** Lines of the file that the open dialog gives. */
export async function download(page: Page): Promise<readonly string[]> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
  return readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split(/\r?\n/);
}

export function searchField(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Search requests' });
}

function queryOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('q');
}

export async function search(page: Page, text: string): Promise<void> {
  await searchField(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Both editors and the address say a search, and the sentence below says what it means. */
export async function expectSearch(page: Page, text: string, meaning: string): Promise<void> {
  await expect.poll(() => searchField(page).inputValue(), patient).toBe(text);
  await expect.poll(() => queryOf(page), patient).toBe(text);
  await page.locator('form[role=search] p', { hasText: meaning }).waitFor();
}

export async function choose(page: Page, field: Locator, option: string): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The calls of the API among requests of a page, without their parameters. */
export function apiPaths(requests: WatchedPage['requests']): readonly string[] {
  return requests.map((request) => new URL(request.url()).pathname).filter((pathname) => pathname.startsWith('/v1/'));
}

/** A service with the seeds, and a browser. */
export interface RequestsScene {
  readonly service: Service;
  readonly api: ApiClient;
  readonly browser: Browser;
  /** An address of the list whose first column says which request a row is. */
  readonly addressOf: (parameters?: Readonly<Record<string, string>>) => string;
  /** The list, signed in and with rows. The caller closes the page's context. */
  readonly open: (parameters?: Readonly<Record<string, string>>) => Promise<WatchedPage>;
  /** Requests of a user, a second apart. */
  readonly importMany: (user: string, count: number) => Promise<void>;
  /** They can be found on return. */
  readonly importRequests: (records: readonly Readonly<Record<string, unknown>>[]) => Promise<void>;
  readonly importRequest: (record: Readonly<Record<string, unknown>>) => Promise<void>;
  /** @returns the identifier of a call through the gateway. */
  readonly send: (user: string) => Promise<string>;
  readonly end: () => Promise<void>;
}

function manyId(at: number): string {
  return `7d1c2b7e-3f0a-4c11-8b52-1a3c2f1f0${String(at).padStart(3, '0')}`;
}

export async function openRequestsScene(): Promise<RequestsScene> {
  const dataDir = makeDataDir();
  const service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  const api = apiClient(service.api);
  const importMany = async (user: string, count: number): Promise<void> => {
    const lines = Array.from({ length: count }, (_none, at) =>
      JSON.stringify({
        request_id: manyId(at),
        request_created_at: new Date(Date.now() - 2 * hourMs - at * 1000).toISOString(),
        provider: 'OPENAI',
        request_user_id: user,
      }),
    );
    const { status } = await api.call('POST', '/v1/import', lines.join('\n'));
    expect(status).toBe(200);
    await api.stored(manyId(count - 1));
  };
  const importRequests = async (records: readonly Readonly<Record<string, unknown>>[]): Promise<void> => {
    const common = { provider: 'OPENAI', request_path: '/v1/chat/completions', request_body: { messages: [] } };
    const lines = records.map((record) => JSON.stringify({ ...common, ...record }));
    const { status, body } = await api.call<{ imported: number }>('POST', '/v1/import', lines.join('\n'));
    expect({ status, imported: body.data.imported }).toEqual({ status: 200, imported: records.length });
    // An import is durable when it is answered, and found a moment later.
    for (const { request_id: id } of records) await api.stored(String(id));
  };
  const importRequest = async (record: Readonly<Record<string, unknown>>): Promise<void> => importRequests([record]);
  await importRequests(
    seeds.map((seed, index) => ({
      request_id: seedId(index + 1),
      request_created_at: new Date(Date.now() - hourMs + index * 60_000).toISOString(),
      ...seed,
    })),
  );
  const browser = await sharedBrowser();
  const addressOf = (parameters: Readonly<Record<string, string>> = {}): string => {
    const columns = JSON.stringify(['id', 'model', 'status', 'user']);
    return `${service.api}/requests?${new URLSearchParams({ columns, ...parameters }).toString()}`;
  };
  return {
    service,
    api,
    browser,
    addressOf,
    open: async (parameters) => {
      const watched = await openSignedIn(browser, addressOf(parameters));
      await watched.page.waitForSelector(rows);
      return watched;
    },
    importMany,
    importRequests,
    importRequest,
    send: async (user) => call(service, user),
    end: async () => {
      await endPages();
      await service.stop();
      removeDataDir(dataDir);
    },
  };
}

async function call(service: Service, user: string): Promise<string> {
  const response = await fetch(`${service.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}`, 'svc-user-id': user },
    body: JSON.stringify({ model: 'echo/x', messages: [{ role: 'user', content: 'Where is my order?' }] }),
  });
  return response.headers.get('svc-id') ?? '';
}
