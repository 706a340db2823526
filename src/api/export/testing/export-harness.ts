import { expect } from 'vitest';
import { newId } from '../../../ingest/testing/ingest-harness.ts';
import { parseMoney } from '../../../model/pricing/money.ts';
import type { RequestRecord } from '../../../model/record/request-record.ts';
import { unreportedUsage } from '../../../model/record/usage.ts';
import { type ApiRig, openApiRig } from '../../testing/api-harness.ts';

export type Item = Readonly<Record<string, unknown>>;

/** The API with exports of requests that a test stores. */
export interface ExportRig extends ApiRig {
  readonly exported: (body: Item, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly items: (body: Item) => Promise<readonly Item[]>;
  /** Stores requests of a job of their own. @returns a filter that matches them. */
  readonly recorded: (records: readonly Partial<RequestRecord>[]) => Promise<{ readonly filter: Item; readonly jobId: string }>;
}

let jobs = 0;

export async function openExportRig(): Promise<ExportRig> {
  const rig = await openApiRig();
  const exported: ExportRig['exported'] = async (body, headers = {}) => {
    const response = await rig.call('POST', '/v1/export', { body, headers });
    expect(response.status === 200 ? '' : await response.text()).toBe('');
    return response;
  };
  return {
    ...rig,
    exported,
    items: async (body) => linesOf(await (await exported(body)).text()),
    recorded: async (records) => {
      jobs += 1;
      const jobId = `job-${jobs}`;
      await rig.insert(records.map((record) => ({ requestId: newId(), jobId, ...record })));
      return { filter: { request_response_rmt: { job_id: { equals: jobId } } }, jobId };
    },
  };
}

export function linesOf(text: string): readonly Item[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Item);
}

export const jsonBody = (text: string) => ({ kind: 'json', text }) as const;

export const time = Date.UTC(2026, 3, 5, 12);

/** A request whose values are hard to write. */
export const nasty: Partial<RequestRecord> = {
  createdAt: time,
  responseCreatedAt: time + 250,
  userId: '=1+1',
  model: 'a,b "c"\r\nd',
  provider: 'OPENAI',
  status: 200,
  latencyMs: 250,
  usage: { ...unreportedUsage, promptTokens: 9_007_199_254_740_991, completionTokens: 0 },
  cost: parseMoney('0.000000000001') ?? null,
  costSource: 'header',
  properties: new Map([
    ['Team', '@sum(A1)'],
    ['Ünïcode 🙂', 'zwei\nZeilen'],
    ['__proto__', 'p'],
  ]),
  inputs: new Map([['name', 'Ada']]),
  scores: new Map([['accuracy', 0.5]]),
  assets: ['one', 'two'],
  cached: true,
  threat: false,
  requestBody: jsonBody('{\n  "seed": 12345678901234567890,\r\n\t"text": "\\u00e9 \\n \u2028"\n}'),
  responseBody: { kind: 'text', text: '-1, "quoted"\n' },
  sizeBytes: 100,
};
