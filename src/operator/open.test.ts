import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeadLetters } from '../ingest/dead-letters/store.ts';
import { DeadLetterReplay } from '../ingest/dead-letters/replay.ts';
import { until } from '../ingest/testing/ingest-harness.ts';
import { DeadLetterQuota } from '../ingest/dead-letters/quota.ts';
import type { Observation } from '../model/observation.ts';
import { exposition } from '../platform/metrics/exposition.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { coreFamilies } from '../health/core-metrics.ts';
import { boundDeadLetters } from './open.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-letters-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const days = 7;
const keptAt = 1_800_000_000_000;

const unused = (): never => {
  throw new Error('nothing is replayed');
};

/** Of letters that no store knows. */
function pruning(letters: DeadLetters): DeadLetterReplay {
  return new DeadLetterReplay({
    deadLetters: letters,
    locate: unused,
    inFlightOf: async () => [],
    removeOrphans: async () => undefined,
    pendingChanges: { appendMissing: unused, sequencesFor: unused, remove: unused },
    forgetSpent: unused,
    isErasing: unused,
    writeSeries: unused,
    waitMs: 0,
    observe: unused,
  });
}

it.each([
  ['goes when it is of age by a clock that is believed', keptAt + days * 86_400_000 + 1, { expired: 2, crowdedOut: 0 }, []],
  ['goes for its bytes only by one that is not', undefined, { expired: 0, crowdedOut: 1 }, ['later']],
])('a dead letter %s', async (_, believed, removed, left) => {
  for (const [index, name] of ['earlier', 'later'].entries()) {
    const file = path.join(folder, name);
    writeFileSync(file, '12345678');
    utimesSync(file, keptAt / 1000, (keptAt + index - 1) / 1000);
  }
  const observations: Observation[] = [];
  const meter = new Meter(coreFamilies);
  const end = boundDeadLetters({
    config: { deadLetterDays: days, deadLetterMaxBytes: 10 },
    observe: measured(meter, (observation) => observations.push(observation)),
    replay: pruning(new DeadLetters(folder, () => keptAt)),
    trustedClock: { now: async () => believed },
    deadLetterQuota: { onEvict: () => undefined },
  });
  await until(() => observations.length > 0);
  end();
  expect(observations).toEqual([{ kind: 'dead_letters_removed', ...removed }]);
  const page = exposition([{ process: 'core', families: coreFamilies, cells: meter.cells }]);
  expect(page).toContain(`gatelog_dead_letters_removed_total{reason="too_old",process="core"} ${removed.expired}\n`);
  expect(page).toContain(`gatelog_dead_letters_removed_total{reason="no_room",process="core"} ${removed.crowdedOut}\n`);
  expect(readdirSync(folder)).toEqual(left);
});

it('the oldest dead letter goes at once when there is no room for all, and not only in the next hour', async () => {
  const letters = new DeadLetters(folder, () => keptAt);
  const letterRoom = new DeadLetterQuota({ deadLetters: letters, maxBytes: 10, maxWaitMs: 60_000 });
  const replay = pruning(letters);
  let looks = 0;
  const end = boundDeadLetters({
    config: { deadLetterDays: days, deadLetterMaxBytes: 10 },
    observe: () => undefined,
    replay: {
      prune: async (...given) => {
        const pruned = await replay.prune(...given);
        looks += 1;
        return pruned;
      },
    },
    trustedClock: { now: async () => keptAt },
    deadLetterQuota: letterRoom,
  });
  await until(() => looks === 1);
  for (const [index, name] of ['earlier', 'later'].entries()) {
    writeFileSync(path.join(folder, name), '12345678');
    utimesSync(path.join(folder, name), keptAt / 1000, (keptAt + index) / 1000);
  }
  letters.recount();
  await letterRoom.enforce();
  end();
  expect(readdirSync(folder)).toEqual(['later']);
});
