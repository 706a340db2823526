import { type RequestId, uuidOfHex } from '../../../src/model/ids.ts';
import type { Exchange } from '../../../src/model/record/exchange.ts';
import type { RequestRecord } from '../../../src/model/record/request-record.ts';
import { interpretExchange } from '../../../src/ingest/interpret/interpret.ts';
import { noOrganizationPrices } from '../../../src/pricing/organization-prices.ts';
import { bookWithoutOperator } from '../../../src/pricing/layers/books.ts';
import { tenant } from '../../query/records.ts';
import type { Call } from './call.ts';
import type { Scenario } from './scenarios.ts';

/** Ninety seconds before the end of an hour, so that one ends in the traffic of each scenario. */
const start = Date.UTC(2026, 5, 1, 9, 58, 30);
const json = { 'content-type': 'application/json' };
const prices = { book: bookWithoutOperator, organization: noOrganizationPrices };
const latencyMs = 900;

/** When the call of that number arrived, Unix milliseconds. */
function arrivalOf({ callsPerSecond }: Pick<Scenario, 'callsPerSecond'>, number: number): number {
  return start + Math.floor((number * 1000) / callsPerSecond);
}

export function requestIdOf(scenario: Pick<Scenario, 'callsPerSecond'>, number: number): RequestId {
  const time = arrivalOf(scenario, number).toString(16).padStart(12, '0');
  // The rest is as random as the gateway's.
  const rest = (BigInt(number + 1) * 0x9e37_79b9_7f4a_7c15n) & 0x0fff_ffff_ffff_ffffn;
  return uuidOfHex(`${time}7${(number % 4096).toString(16).padStart(3, '0')}8${rest.toString(16).padStart(15, '0')}`);
}

/** The record of a call, made by the ingest's own interpretation of the exchange (`interpretExchange`). */
function recordOf(scenario: Scenario, call: Call, number: number): RequestRecord {
  const openedAt = arrivalOf(scenario, number);
  const [requestBody, responseBody] = [Buffer.from(call.request), Buffer.from(call.response)];
  const exchange: Exchange = {
    open: {
      version: 1,
      requestId: requestIdOf(scenario, number),
      organizationId: tenant,
      keyHash: 'f'.repeat(64),
      openedAt,
      method: 'POST',
      path: '/v1/chat/completions',
      provider: 'openai',
      targetUrl: 'https://api.openai.com/v1/chat/completions',
      headers: json,
      tags: {
        properties: [
          { name: 'Environment', value: number % 5 === 0 ? 'staging' : 'production' },
          { name: 'Feature', value: `feature-${number % 20}` },
        ],
        userId: call.userId,
        ...(call.sessionId === undefined ? {} : { sessionId: call.sessionId, sessionName: 'agent', sessionPath: '/agent' }),
      },
    },
    requestBody,
    responseHead: { status: 200, headers: json, elapsedMs: latencyMs },
    responseBody,
    responseParts: { firstMs: latencyMs, lastMs: latencyMs + (number % 100) },
    end: {
      outcome: 'complete',
      elapsedMs: latencyMs + (number % 100),
      firstByteMs: latencyMs,
      overheadMs: 0.2,
      requestBytes: requestBody.length,
      responseBytes: responseBody.length,
    },
  };
  return interpretExchange(exchange, { declaredNames: new Map(), changes: [], prices });
}

/** All records of a scenario in batches, as the ingest inserts them. @param batchRows absent: those of a second of its traffic. */
export function batchesOf(scenario: Scenario, calls: number, batchRows = scenario.callsPerSecond): (readonly RequestRecord[])[] {
  const batches: RequestRecord[][] = [];
  let number = 0;
  for (const call of scenario.generate(calls)) {
    const batch = Math.floor(number / batchRows);
    (batches[batch] ??= []).push(recordOf(scenario, call, number));
    number += 1;
  }
  return batches;
}
