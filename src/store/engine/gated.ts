import type { WriteGate } from './write-gate.ts';

type Kind<Member> = 'reads' | 'writes' | (Member extends (...given: never) => unknown ? never : readonly (keyof Member & string)[]);

/** What each member does to stored records; of those with several functions the writing ones. */
export type Kinds<Members> = { readonly [Name in keyof Members]-?: Kind<NonNullable<Members[Name]>> };

type Work = (...given: readonly unknown[]) => Promise<unknown>;

/** The same members, with those that write behind a gate. */
export function gated<Members extends object>(members: Members, kinds: Kinds<Members>, gate: WriteGate): Members {
  const passing =
    (work: Work): Work =>
    (...given) =>
      gate.pass(() => work(...given));
  const all = Object.entries(members).map(([name, member]: [string, unknown]) => {
    const kind: 'reads' | 'writes' | readonly string[] = kinds[name as keyof Members];
    if (kind === 'reads' || member === undefined) return [name, member];
    if (typeof member === 'function') return [name, passing(member as Work)];
    const functions = member as Readonly<Record<string, Work>>;
    const writing = Object.entries(functions).filter(([each]) => kind === 'writes' || kind.includes(each));
    return [name, { ...functions, ...Object.fromEntries(writing.map(([each, work]) => [each, passing(work)])) }];
  });
  return Object.fromEntries(all) as Members;
}
