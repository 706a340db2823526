import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../test/support/browser.ts';
import { makeOrganization, storeFolder } from '../test/support/bulk-store.ts';
import { killStarted, makeDataDir, removeDataDir, type Service, startService, testKey } from '../test/support/process-tree.ts';
import { untilQuiet } from './gateway/quiet.ts';
import { describeMachine } from './measure/machine.ts';
import { progress } from './query/fill.ts';
import { fillStore, importLarge } from './web/fill.ts';
import { measureRound, type Round, totalShown } from './web/measures.ts';
import { type Results, renderWeb } from './web/report.ts';

/** Measures the dashboard on a store of a million records, in a real browser. */

const helpText = `Measures the pages of the dashboard in Chromium, on a service of its own with stored records of a month.

Usage: npm run bench -- web [options]

  --records N   stored records (default 1000000), a million to thirty days
  --rounds N    how often everything is measured (default 3); a round takes some eight minutes
  --scroll N    rows that are scrolled at each rate (default 10000)
  --folder DIR  fill this folder and keep it; one that is filled is used as it is
  --help        this text

The browser shares the machine with the service and draws without a graphics card. Exit code 0: every bound is kept; 1: it failed, or a bound is not
kept.`;

interface Given {
  readonly records: number;
  readonly rounds: number;
  readonly scroll: number;
  readonly folder: string | undefined;
}

async function measureAll(service: Service, { rounds, scroll }: Given): Promise<Omit<Results, 'machine'>> {
  const site = { api: service.api, key: testKey, largeId: await importLarge(service.api, testKey) };
  await untilQuiet([service.pid]);
  const browser = await openBrowser();
  try {
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const one = await measureRound(browser, site, scroll);
      measured.push(one);
      progress(`round ${round} of ${rounds}: ${JSON.stringify(one)}`);
    }
    return { rounds: measured, scrolledRows: scroll, total: await totalShown(browser, site), browser: browser.version() };
  } finally {
    await browser.close();
  }
}

async function run(given: Given): Promise<void> {
  const machine = describeMachine(process.cwd());
  const dataDir = given.folder ?? makeDataDir();
  process.once('exit', killStarted);
  process.once('SIGINT', () => process.exit(130));
  try {
    if (!existsSync(join(dataDir, storeFolder))) {
      const organizationId = await makeOrganization(dataDir);
      await fillStore({ dataDir, organizationId, records: given.records });
    }
    const service = await startService({ dataDir });
    const { text, isReached } = renderWeb({ machine, ...(await measureAll(service, given)) });
    process.stdout.write(`${text}\n`);
    await service.stop();
    if (!isReached) process.exitCode = 1;
  } finally {
    killStarted();
    if (given.folder === undefined) removeDataDir(dataDir);
  }
}

/** @returns undefined when help is requested. @throws with a sentence when an option is out of bounds. */
function parseOptions(): Given | undefined {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '3' },
      scroll: { type: 'string', default: '10000' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const within = (name: 'records' | 'rounds' | 'scroll', min: number, max: number): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < min || value > max) throw new Error(`--${name} is a whole number from ${min} to ${max}.`);
    return value;
  };
  return {
    records: within('records', 20_000, 10_000_000),
    rounds: within('rounds', 1, 100),
    scroll: within('scroll', 1000, 15_000),
    folder: values.folder,
  };
}

const given = parseOptions();
if (given === undefined) process.stdout.write(`${helpText}\n`);
else await run(given);
