import type { Planted } from './rule.ts';

/** Violations of the rule about sub-rooms, and close relatives that are allowed. */
export const plantedImports: readonly Planted[] = [
  {
    rule: 'sub-room imports',
    title: 'the room above, a sibling, and types of either',
    files: {
      'src/gateway/upstream/a.ts': [
        `import { forward } from '../forward.ts';`,
        `import type { GatewayMeter } from '../metrics.ts';`,
        `import type { IncomingRequest } from '../http/incoming-request.ts';`,
        `export const later = () => import('../relay/relay.ts');`,
      ].join('\n'),
    },
    at: [1, 2, 3, 4].map((line) => `src/gateway/upstream/a.ts:${line}`),
  },
  {
    rule: 'sub-room imports',
    title: 'values where only types are allowed, and a deeper folder than the row',
    files: {
      'src/operator/routes/a.ts': `import type { A } from '../work/a.ts';\nimport { a } from '../work/a.ts';`,
      'src/contract/events/a.ts': `import { a } from '../filter.ts';\nimport { b } from '../settings/b.ts';`,
    },
    at: ['src/operator/routes/a.ts:2', 'src/contract/events/a.ts:2'],
  },
  {
    rule: 'sub-room imports',
    title: 'its own files, other rooms, a sub-room without a row, and tests',
    files: {
      'src/gateway/upstream/a.ts': `import { b } from './deeper/b.ts';\nimport { c } from '../../platform/clock.ts';`,
      'src/gateway/upstream/deeper/b.ts': `import { c } from '../c.ts';`,
      'src/gateway/retry/a.ts': `import { b } from '../forward.ts';`,
      'src/gateway/upstream/a.test.ts': `import { b } from '../forward.ts';`,
    },
    at: [],
  },
  {
    rule: 'one-way folders',
    title: 'a folder and one below it, and two beside each other',
    files: {
      'src/reading/a.ts': `import { b } from './deep/b.ts';`,
      'src/reading/deep/b.ts': `export { c } from '../c.ts';`,
      'src/egress/one/a.ts': `// The first.\nimport type { B } from '../two/b.ts';`,
      'src/egress/two/b.ts': `export const later = () => import('../one/c.ts');`,
    },
    at: ['src/reading/a.ts:1', 'src/egress/one/a.ts:2'],
  },
  {
    rule: 'one-way folders',
    title: 'folders of two rooms, files of one folder, one direction, and tests',
    files: {
      'src/reading/a.ts': `import { b } from '../query/b.ts';\nimport { c } from './c.ts';`,
      'src/reading/c.ts': `import { d } from './a.ts';\nimport { e } from './deep/e.ts';`,
      'src/reading/deep/e.test.ts': `import { a } from '../a.ts';`,
      'src/query/b.ts': `import { a } from '../reading/a.ts';`,
    },
    at: [],
  },
];
