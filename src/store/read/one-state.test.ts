import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeInsertLines, openStoreRig, requestLine, type StoreRig } from '../testing/store-harness.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

const most = 10_000;

/** A read that goes on while `slept` sleeps, and only then looks at the table a second time. */
const readsTwice =
  'WITH (SELECT sleep(2)) AS slept, (SELECT sum(status + 1) FROM requests WHERE status >= slept) AS first, (SELECT sum(status + 1) FROM requests) AS second SELECT first, second, sum(status + 1) AS third FROM requests WHERE status >= slept AND first >= 0 AND second >= 0';

test('what a query reads several times it reads of one state of the table, whatever is stored meanwhile', async () => {
  const insert = makeInsertLines(rig.connections);
  await insert('requests', requestLine().line, 'first');
  let isOver = false;
  const reading = rig.run(readsTwice, { lane: 'long' }).finally(() => {
    isOver = true;
  });
  let isRunning = false;
  for (let tries = 0; tries < most; tries += 1) {
    const [running] = await rig.run<{ readonly queries: number }>(
      "SELECT count() AS queries FROM system.processes WHERE query LIKE '%slept%' AND query NOT LIKE '%processes%'",
    );
    isRunning = running?.queries === 1;
    if (isRunning) break;
  }
  await insert('requests', [requestLine().line, requestLine().line].join('\n'), 'second');
  expect({ isRunning, isOver }).toEqual({ isRunning: true, isOver: false });
  expect(await reading).toEqual([{ first: 1, second: 1, third: 1 }]);
  expect(await rig.run('SELECT count() AS rows FROM requests')).toEqual([{ rows: 3 }]);
});
