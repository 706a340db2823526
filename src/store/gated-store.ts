import type { WriteGate } from './engine/write-gate.ts';
import type { Store } from './store.ts';

type Kind<Member> = 'reads' | 'writes' | (Member extends (...given: never) => unknown ? never : readonly (keyof Member & string)[]);

/** What each member does to stored records; of those with several functions the writing ones. */
const kinds: { readonly [Name in keyof Store]-?: Kind<NonNullable<Store[Name]>> } = {
  run: 'reads',
  insert: 'writes',
  insertsByMonth: 'reads',
  bodyRemovals: 'reads',
  rowChanges: 'reads',
  findRows: 'reads',
  findTold: 'reads',
  hasSpans: 'reads',
  hasTracedCalls: 'reads',
  joinRecords: 'writes',
  spanTexts: ['remove', 'replaceBodies'],
  changeStored: 'writes',
  changeStoredCosts: 'writes',
  usageRows: ['complete'],
  changeStoredSession: ['writeHistory', 'update'],
  setSessionTag: 'writes',
  jobLists: ['list', 'drop'],
  changeNext: 'writes',
  latestChangeNumber: 'reads',
  countCalls: 'reads',
  latestArrival: 'reads',
  latestStoredNumber: 'reads',
  listParts: 'reads',
  damage: 'reads',
  checkPart: 'reads',
  setAside: 'writes',
  erase: ['list', 'removeRequests', 'removeRest', 'removeFiles'],
  removeExpired: 'writes',
  removeOrphans: 'writes',
  moveBodies: ['step'],
  indexWords: ['step'],
  migrate: 'reads',
  startThreads: 'reads',
  isAlive: 'reads',
  hasFreeSpace: 'reads',
  measureFreeSpace: 'reads',
  lanes: 'reads',
  size: 'reads',
  copy: 'reads',
  close: 'reads',
};

type Work = (...given: readonly unknown[]) => Promise<unknown>;

/** The store with its writes behind a gate. */
export function gatedStore(store: Store, gate: WriteGate): Store {
  const passing =
    (work: Work): Work =>
    (...given) =>
      gate.pass(() => work(...given));
  const members = Object.entries(store).map(([name, member]: [string, unknown]) => {
    const kind = kinds[name as keyof Store];
    if (kind === 'reads' || member === undefined) return [name, member];
    if (typeof member === 'function') return [name, passing(member as Work)];
    const functions = member as Readonly<Record<string, Work>>;
    const writing = Object.entries(functions).filter(([each]) => kind === 'writes' || kind.some((one) => one === each));
    return [name, { ...functions, ...Object.fromEntries(writing.map(([each, work]) => [each, passing(work)])) }];
  });
  return Object.fromEntries(members) as unknown as Store;
}
