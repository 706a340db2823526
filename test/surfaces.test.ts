import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpoints } from '../src/api/endpoints.ts';
import { type SurfaceBounds, surfaceBounds } from '../src/model/record/surface-bounds.ts';
import { logPathOf, signalOf } from '../src/model/vocabulary/log-paths.ts';

type Surface = keyof typeof surfaceBounds;

/** The ways in of each surface, as the API declares them; the gateway takes the same paths of OTLP and logs. */
const waysIn: Readonly<Record<Surface, (path: string) => boolean>> = {
  spans: (path) => signalOf(path) !== undefined,
  logs: (path) => logPathOf(path) !== undefined,
  imports: (path) => path === '/v1/import',
};

/** The file that keeps each bound, and what it reads it by. */
const keptBy: Readonly<Record<Surface, Readonly<Record<keyof SurfaceBounds, readonly [file: string, text: string]>>>> = {
  spans: {
    admission: ['src/intake/spans/take-spans.ts', 'turnBounds.waiting'],
    received: ['src/api/http/body-limit.ts', 'memory.takeBody('],
    added: ['src/otlp/calls/added-bytes-limit.ts', 'surfaceBounds.spans'],
    remembered: ['src/otlp/tree/recent-parents.ts', 'surfaceBounds.spans.remembered'],
    work: ['src/otlp/received/limits.ts', 'surfaceBounds.spans'],
    waiting: ['src/intake/spans/take-spans.ts', 'admissions.admit('],
    waitMs: ['src/intake/spans/take-spans.ts', 'admissions.whenRoom('],
  },
  logs: {
    admission: ['src/intake/record/admissions.ts', 'admission.waiting'],
    received: ['src/api/http/body-limit.ts', 'memory.takeBody('],
    added: ['src/gateway/intake/logs.ts', 'GATELOG_LOG_MAX_BYTES'],
    remembered: ['src/intake/logs/take-log.ts', 'admission.end'],
    work: ['src/intake/logs/read-log.ts', 'jsonExcess('],
    waiting: ['src/intake/logs/take-log.ts', 'await admit('],
    waitMs: ['src/intake/record/admissions.ts', 'surfaceBounds.logs'],
  },
  imports: {
    admission: ['src/ingest/imports/imports.ts', 'admission.waiting'],
    received: ['src/api/http/read-lines.ts', 'memory.takeLongLine('],
    added: ['src/ingest/imports/imports.ts', 'maxLineBytes'],
    remembered: ['src/ingest/imports/imports.ts', 'turns.delete('],
    work: ['src/ingest/imports/imports.ts', 'await readLarge('],
    waiting: ['src/ingest/imports/imports.ts', 'maxWaiting.exchanges'],
    waitMs: ['src/ingest/imports/imports.ts', 'waitMs: maxWaitMs'],
  },
};

const surfaces = Object.keys(surfaceBounds) as Surface[];

it('every way in for records belongs to one surface', () => {
  const ways = endpoints.filter(({ action }) => action === 'send');
  const claimed = ways.map(({ declaration: { path } }) => [path, surfaces.filter((surface) => waysIn[surface](path))] as const);
  expect(claimed.filter(([, by]) => by.length !== 1)).toEqual([]);
  for (const surface of surfaces) expect([surface, claimed.some(([, by]) => by[0] === surface)]).toEqual([surface, true]);
});

it.each(surfaces.flatMap((surface) => Object.entries(keptBy[surface]).map(([bound, by]) => [surface, bound, ...by] as const)))(
  '%s have the bound "%s", and %s reads it',
  (surface, bound, file, text) => {
    expect(surfaceBounds[surface]).toHaveProperty(bound);
    expect(readFileSync(file, 'utf8')).toContain(text);
  },
);

it('the table of what every surface inherits names each surface and the files that keep its bounds', () => {
  const [, section = ''] = readFileSync('docs/internals/invariants.md', 'utf8').split('## What every surface inherits\n');
  for (const surface of surfaces) {
    const row = section.split('\n').find((line) => line.startsWith(`| ${surface} |`)) ?? '';
    const missing = Object.values(keptBy[surface]).filter(([file]) => !row.includes(`\`${file}\``));
    expect([surface, missing]).toEqual([surface, []]);
  }
});

it('nothing records what did not pass through the gateway but by leave of the admissions', () => {
  // The type asks for an `LogPermit`, and only this file makes one outside of tests.
  expect(readFileSync('src/model/record/logged-call.ts', 'utf8')).toContain('LogCalls = (permit: LogPermit');
  expect(readFileSync('src/intake/record/admissions.ts', 'utf8')).toContain('satisfies LogPermit');
});
