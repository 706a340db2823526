import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { type ApiRig, checked, openApiRig, queryPath } from '../testing/api-harness.ts';

const heavyRequests = 5;
const texts = new Map(Array.from({ length: 60 }, (_none, at) => [`Text-${at}`, `${at}`.repeat(4000).slice(0, 8000)]));

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
  await rig.insert(Array.from({ length: heavyRequests }, () => ({ model: 'heavy', createdAt: Date.now(), properties: texts })));
  await rig.insert([{ model: 'usual', createdAt: Date.now() }]);
});
afterAll(async () => rig.close());

/** Reads whose result is not bounded by what rows usually have. */
class WideReads {
  running = 0;
  most = 0;
  all = 0;

  watched(run: RunStatement): RunStatement {
    return async (statement, signal, options) => {
      if (options?.maxResultBytes !== undefined) return run(statement, signal, options);
      this.running += 1;
      this.all += 1;
      this.most = Math.max(this.most, this.running);
      try {
        return await run(statement, signal, options);
      } finally {
        this.running -= 1;
      }
    };
  }
}

const ofModel = (model: string): unknown => ({ request_response_rmt: { model: { equals: model } } });

it('pages of rows with many long properties are whole, and an organisation reads one at a time', async () => {
  const reads = new WideReads();
  const api = rig.withPorts({ run: reads.watched(rig.run) });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => rig.call('POST', queryPath, { api, body: { filter: ofModel('heavy'), includeBodies: false } })),
  );
  for (const answer of answers) {
    const { data } = await checked(answer, 200, requestQueryAnswerSchema);
    expect(data.map(({ properties }) => Object.keys(properties).length)).toEqual(Array.from({ length: heavyRequests }, () => texts.size));
  }
  expect(reads).toMatchObject({ all: answers.length, most: 1 });
});

it('usual rows are read once', async () => {
  const reads = new WideReads();
  const api = rig.withPorts({ run: reads.watched(rig.run) });
  const answer = await rig.call('POST', queryPath, { api, body: { filter: ofModel('usual'), includeBodies: false } });
  expect((await checked(answer, 200, requestQueryAnswerSchema)).data).toHaveLength(1);
  expect(reads.all).toBe(0);
});
