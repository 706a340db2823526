import type { Hono } from 'hono';
import type { ImportItem } from '../../contract/imports.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { addErasedExchanges, wasErased } from '../../metadata/erasures.ts';
import type { Observation } from '../../model/observation.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import type { Drain } from '../../ingest/drain.ts';
import { RunningErasures } from '../../ingest/changes/erasures.ts';
import type { TestPorts } from '../../ingest/testing/spent-rows.ts';
import { type CoreRig, type IngestRig, SpoolRig, until } from '../../ingest/testing/ingest-harness.ts';
import { makeImports } from '../../ingest/imports/open.ts';
import { rowsOf } from '../../store/insert/rows.ts';
import { createApi } from '../app.ts';
import { callApi, portsOver, queryPath, readLarge } from './api-harness.ts';

/** One deployment with an organisation of its own, whose ingest runs. Several may share a store. */
export class Deployment {
  readonly spool: SpoolRig;
  readonly running = new RunningErasures();
  readonly observations: Observation[] = [];
  /** Days for which records are kept; undefined: all. */
  deploymentDays: number | undefined;
  private readonly rig: IngestRig;
  private core: CoreRig | undefined;
  private app: Hono | undefined;

  constructor(rig: IngestRig) {
    this.rig = rig;
    this.spool = new SpoolRig(rig);
  }

  get changer(): CoreRig['changer'] {
    if (this.core === undefined) throw new Error('the deployment is not started');
    return this.core.changer;
  }

  get drain(): Drain {
    if (this.core === undefined) throw new Error('the deployment is not started');
    return this.core.drain;
  }

  get api(): Hono {
    if (this.app === undefined) throw new Error('the deployment is not started');
    return this.app;
  }

  async start(given: TestPorts = {}): Promise<this> {
    const { rig, spool, running } = this;
    const erasures = {
      of: (organizationId: Parameters<RunningErasures['of']>[0]) => running.of(organizationId),
      save: (erased: Parameters<typeof addErasedExchanges>[1]) => addErasedExchanges(rig.database, erased),
      wasErased: (exchange: Parameters<typeof wasErased>[1]) => wasErased(rig.database, exchange),
    };
    this.core = await spool.openCore({ erasures, ...given });
    const ports = await portsOver(rig, spool, this.observations, { core: this.core });
    const parts = {
      ...this.core,
      spoolFolder: spool.folder,
      store: rig.store,
      running,
      readLarge,
      retention: { ...ports.retention, deploymentDays: this.deploymentDays },
    };
    this.app = createApi({ ...ports, imports: makeImports(parts) }, () => ({}));
    this.drain.start();
    return this;
  }

  stop(): Promise<void> {
    return this.drain.stop(10_000);
  }

  async import(lines: readonly (object | string)[], dryRun = false): Promise<ImportItem> {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const response = await this.post(`/v1/import${dryRun ? '?dryRun=true' : ''}`, text);
    const answer = (await response.json()) as { readonly data: ImportItem; readonly error: string | null };
    if (response.status !== 200) throw new Error(`${response.status} ${answer.error}`);
    return answer.data;
  }

  post(path: string, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return callApi(this.api, { method: 'POST', path }, { text, headers: { 'content-type': 'application/x-ndjson', ...headers } });
  }

  /** Sends a change and does not wait for the store. */
  async change(id: string, what: 'property' | 'feedback', body: object): Promise<void> {
    const method = what === 'property' ? 'PUT' : 'POST';
    const response = await callApi(this.api, { method, path: `/v1/request/${id}/${what}` }, { body });
    if (response.status !== 200) throw new Error(await response.text());
  }

  /** Resolves once nothing waits for the store. */
  async whenStored(): Promise<void> {
    await this.drain.catchUp();
    await until(() => this.drain.inFlight.size === 0);
  }

  /** Stores records as the ingest would. */
  async insert(records: readonly RequestRecord[]): Promise<void> {
    const rows = records.map((record) => rowsOf(record, record.createdAt));
    const token = crypto.randomUUID();
    await this.rig.store.insert(
      'bodies',
      rows.map(({ bodies }) => bodies),
      `${token}-bodies`,
    );
    await this.rig.store.insert(
      'requests',
      rows.map(({ request }) => request),
      `${token}-requests`,
    );
  }

  async query(body: object): Promise<readonly RequestItem[]> {
    const response = await callApi(this.api, { method: 'POST', path: queryPath }, { body });
    const answer = (await response.json()) as { readonly data: readonly RequestItem[] | null; readonly error: string | null };
    if (answer.data === null) throw new Error(String(answer.error));
    return answer.data;
  }

  /** The organisation's export with every column, as lines. */
  async exported(): Promise<string> {
    const body = { format: 'jsonl', filter: 'all', includeBodies: true };
    const response = await callApi(this.api, { method: 'POST', path: '/v1/export' }, { body });
    if (response.status !== 200) throw new Error(await response.text());
    return response.text();
  }

  /** Every item of the organisation with its inputs, by identifier, as texts. What names the organisation is left out. */
  async items(): Promise<ReadonlyMap<string, string>> {
    const items = new Map<string, string>();
    for (let offset = 0; ; offset += 500) {
      const page = await this.query({ filter: 'all', limit: 500, offset, includeInputs: true, sort: { created_at: 'asc' } });
      for (const { organization_id: _organization, signed_body_url: _address, ...item } of page) {
        items.set(item.request_id, JSON.stringify(item));
      }
      if (page.length < 500) return items;
    }
  }
}
