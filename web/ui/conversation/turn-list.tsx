import type { ReactNode } from 'react';
import styles from './conversation.module.css';
import { FirstOf } from './first-of.tsx';
import type { ToolPairs } from './pairs.ts';
import { PartView } from './part-view.tsx';
import type { Part, Role, Turn } from './read/part.ts';

const roleTitles: Readonly<Record<Role, string>> = {
  system: 'System',
  developer: 'Developer',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

export interface TurnListProps {
  readonly turns: readonly Turn[];
  readonly pairs: ToolPairs;
  readonly isAnswer?: boolean;
}

/** Parts of a turn that are shown at a time. */
const partsAtOnce = 100;

/** Characters that are shown at first of what no person and no model says: instructions repeat with each request. */
const shownLengths: Readonly<Partial<Record<Role, number>>> = { system: 400, developer: 400 };

/** Turns that are shown together: a result stands in its call where both are here. */
export function TurnList({ turns, pairs, isAnswer = false }: TurnListProps): ReactNode {
  const here = new Set<Part>(turns.flatMap(({ parts }) => parts));
  return turns.map(({ role, parts }, index) => {
    const shown = parts.filter((part) => part.kind !== 'tool-result' || !isIn(here, pairs.callOf.get(part)));
    if (shown.length === 0) return null;
    const isError = shown.every(({ kind }) => kind === 'error');
    return (
      <article key={index} className={styles['turn']} data-role={isError ? 'error' : role} data-answer={isAnswer && !isError}>
        <h3>{isError ? 'Error' : roleTitles[role]}</h3>
        <FirstOf items={shown} step={partsAtOnce}>
          {(some) =>
            some.map((part, at) => {
              const result = part.kind === 'tool-call' ? pairs.resultOf.get(part) : undefined;
              const call = part.kind === 'tool-result' ? pairs.callOf.get(part) : undefined;
              return (
                <PartView
                  key={at}
                  part={part}
                  result={isIn(here, result) ? result : undefined}
                  call={call}
                  isSpoken={role !== 'tool'}
                  shownLength={shownLengths[role]}
                />
              );
            })
          }
        </FirstOf>
      </article>
    );
  });
}

function isIn(parts: ReadonlySet<Part>, part: Part | undefined): boolean {
  return part !== undefined && parts.has(part);
}
