import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../src/auth/issue-key.ts';
import type { MetadataDatabase } from '../src/metadata/database.ts';
import { type FakeHelicone, startFakeHelicone } from '../src/cli/helicone/testing/fake-helicone.ts';
import { makeRecords } from '../src/cli/helicone/testing/records.ts';
import { openMigratedMetadata } from '../src/metadata/migrate.ts';
import { listApiKeys } from '../src/metadata/organization/api-keys.ts';
import { createOrganization } from '../src/metadata/organization/organizations.ts';
import { apiClient } from './support/api.ts';
import { documentedPages, type Page, readPage } from './support/page-blocks.ts';
import { pythonIs, readerFolder, runBlock } from './support/page-run.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';

const dataDir = makeDataDir();
let service: Service;
let provider: RecordedProvider;
let metadata: MetadataDatabase;
let helicone: FakeHelicone;

beforeAll(async () => {
  provider = await startRecordedProvider();
  helicone = await startFakeHelicone({ records: makeRecords({ count: 240, seed: 1, firstDay: '2026-03-01', days: 3 }) });
  service = await startService({
    dataDir,
    environment: {
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_TARGET_ALLOWLIST: 'localhost:8790',
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-key',
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
      GATELOG_PROVIDER_ANTHROPIC_KEY: 'deployment-key',
      GATELOG_PROVIDER_GEMINI_URL: provider.origin,
      GATELOG_PROVIDER_GEMINI_KEY: 'deployment-key',
    },
  });
  metadata = await openMigratedMetadata(dataDir, 'core', Date.now);
});

afterAll(async () => {
  await metadata?.close();
  await service?.stop();
  await provider?.close();
  await helicone?.close();
  removeDataDir(dataDir);
});

const pages = documentedPages.map(readPage);
const withBlocks = pages.filter(({ blocks }) => blocks.length > 0);

/** Everything that an `admin` key can set, and the active keys. */
async function settingsOf(key: string): Promise<unknown> {
  const api = apiClient(service.api, key);
  const paths = ['rate-limits', 'prices', 'redaction-rules', 'retention', 'provider-keys', 'webhooks'];
  const answers = await Promise.all(paths.map(async (name) => [name, (await api.call('GET', `/v1/${name}`)).body.data]));
  const keys = await listApiKeys(metadata);
  return { ...Object.fromEntries(answers), keys: keys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id) };
}

/** An `admin` key of a new organisation, so that no page sees the changes of another. */
async function keyFor({ path }: Page): Promise<string> {
  const organization = await createOrganization(metadata, path, Date.now());
  if (organization === 'name_taken') throw new Error(`${path} is there twice`);
  const order = { organizationId: organization.id, region: 'us', name: 'reader', permissions: 'admin', at: Date.now() } as const;
  return (await issueKey(metadata, order)).key;
}

/** The title of a page's test, with the number of its executed blocks. */
function counted({ path, blocks }: Page): string {
  const left = blocks.filter(({ notRunBecause }) => notRunBecause !== undefined);
  const inPython = pythonIs === 'run' ? [] : blocks.filter(({ language }) => language === 'python');
  return [
    `${path}: ${blocks.length - left.length - inPython.length} of ${blocks.length} blocks run`,
    ...inPython.map(() => `Python ${pythonIs}`),
    ...left.map(({ notRunBecause = '' }) => `not: ${notRunBecause}`),
  ].join('; ');
}

describe('the commands of a page print what it shows, and leave the organisation as it was', () => {
  it.each(withBlocks.map((page) => [counted(page), page] as const))('%s', async (_title, page) => {
    const key = await keyFor(page);
    const folder = readerFolder(dataDir, page.path);
    const reader = { gateway: service.gateway, api: service.api, dataDir, key, helicone, folder };
    const before = await settingsOf(key);
    for (const block of page.blocks.filter(({ notRunBecause }) => notRunBecause === undefined)) await runBlock(block, reader);
    expect(await settingsOf(key)).toEqual(before);
  });
});

const allBlocks = pages.flatMap(({ blocks }) => blocks);
const runCount = allBlocks.filter(
  ({ notRunBecause, language }) => notRunBecause === undefined && (language !== 'python' || pythonIs === 'run'),
).length;

it(`every block of the pages is run (${runCount}), compared with what is printed, or has a reason not to be (${allBlocks.length - runCount})`, () => {
  expect(pages.flatMap(({ strays }) => strays)).toEqual([]);
  expect(withBlocks.length).toBeGreaterThan(15);
});

/** Filters and sorts between backticks, for example in tables. */
const inlineBodies = documentedPages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/`(\{"(?:request_response_rmt|sort)".*?\})`/g)].map(([, text = '']): [string, string] => [
    page,
    text,
  ]),
);

it.each(inlineBodies)('%s: %s is accepted', async (_page, text) => {
  const named = JSON.parse(text) as { readonly sort?: unknown };
  const body = named.sort === undefined ? { filter: named } : { filter: 'all', ...named };
  const { status } = await apiClient(service.api).call('POST', '/v1/request/query-clickhouse', body, { 'Svc-Strict': 'true' });
  expect(status).toBe(200);
});
