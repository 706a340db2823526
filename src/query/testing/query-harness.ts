import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OrganizationId, type RequestId, uuidOfHex } from '../../model/ids.ts';
import { noTrace, type RequestRecord } from '../../model/record/request-record.ts';
import { emptyTextTags } from '../../model/record/text-tags.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { openStore, type Store } from '../../store/store.ts';
import { rowsOf } from '../../store/insert/rows.ts';
import { makeEmptyStore } from '../../store/testing/empty-store.ts';
import { openLocation } from '../../store/testing/store-location.ts';

/** A real store for tests of this room. */
export interface QueryRig {
  readonly store: Store;
  /** Stores records as one batch of that name. */
  readonly insert: (records: readonly RequestRecord[], batch: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;

export const noon = Date.UTC(2026, 0, 31, 12, 0, 0, 7);

/** A UUIDv7 of the given time. */
export function idAt(ms: number, n: number): RequestId {
  return uuidOfHex(`${ms.toString(16).padStart(12, '0')}70008${n.toString(16).padStart(15, '0')}`);
}

/** A record of which nothing is known. */
export const empty: RequestRecord = {
  organizationId: tenant,
  requestId: idAt(noon, 1),
  createdAt: noon,
  responseCreatedAt: null,
  keyHash: '',
  credentialHash: '',
  method: 'POST',
  path: '',
  referrer: '',
  client: '',
  clientVersion: '',
  targetUrl: '',
  provider: 'OPENAI',
  countryCode: '',
  requestModel: '',
  responseModel: '',
  modelOverride: '',
  model: 'unknown',
  userId: '',
  sessionId: '',
  bodyGroup: 0n,
  sessionName: '',
  sessionPath: '',
  properties: new Map(),
  aliasedNames: false,
  ...emptyTextTags,
  ...noTrace,
  promptId: '',
  inputs: new Map(),
  responseId: '',
  status: 0,
  failure: null,
  latencyMs: null,
  timeToFirstByteMs: null,
  timeToFirstTokenMs: null,
  streamed: false,
  gatewayOverheadMs: null,
  attempts: [],
  usage: unreportedUsage,
  serviceTier: '',
  cost: null,
  costSource: 'none',
  priceReference: '',
  appliedPrice: '',
  cacheEnabled: false,
  cached: false,
  cacheReferenceId: '',
  cacheCreatedAt: null,
  threat: null,
  isPassthroughBilling: null,
  assets: [],
  scores: new Map(),
  feedback: null,
  changes: [],
  sessionChanges: [],
  requestBody: { kind: 'absent' },
  responseBody: { kind: 'absent' },
  requestBodyCut: false,
  responseBodyCut: false,
  promptText: '',
  lastUserText: '',
  completionText: '',
  inputPreview: '',
  outputPreview: '',
  sizeBytes: 0,
};

/** @param queryMemoryBytes for all queries together; by default what a service has. */
export async function openQueryRig(queryMemoryBytes = 1536 * 1024 ** 2): Promise<QueryRig> {
  const folder = mkdtempSync(join(tmpdir(), 'query-'));
  await makeEmptyStore(folder);
  const { location, close } = await openLocation(folder);
  const store = openStore(location, { queryTimeoutMs: 20_000, queryMemoryBytes });
  return {
    store,
    insert: async (records, batch) => {
      const rows = records.map((record) => rowsOf(record, noon + 5000));
      await store.insert(
        'requests',
        rows.map(({ request }) => request),
        `${batch}-requests`,
      );
      await store.insert(
        'bodies',
        rows.map(({ bodies }) => bodies),
        `${batch}-bodies`,
      );
    },
    close: async () => {
      await store.close();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
