import { groupOfKey } from '../../query/alerts/groups.ts';
import type { Memories } from './evaluate.ts';

export interface WithoutMentions {
  readonly memories: Memories;
  /** Notices that were sent, and whose last incident was of a group that is left out. */
  readonly ended: readonly string[];
}

/** What is known of groups without those that have a text as a value. */
export function withoutMentions(known: Memories, text: string): WithoutMentions {
  const memories = new Map([...known].filter(([key]) => !groupOfKey(key).includes(text)));
  const open = noticesOf(memories);
  return { memories, ended: [...noticesOf(known)].filter((notice) => !open.has(notice)) };
}

function noticesOf(memories: Memories): ReadonlySet<string> {
  return new Set([...memories.values()].flatMap(({ incident }) => incident?.notice ?? []));
}
