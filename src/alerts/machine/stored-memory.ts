import type { GroupMemory, OpenIncident } from './state.ts';

type StoredIncident = Omit<OpenIncident, 'notifiedAt'> & { readonly toldAt: OpenIncident['notifiedAt'] };
type StoredMemory = Omit<GroupMemory, 'incident'> & { readonly incident: StoredIncident | null };

/** A group as the database has it: its incident has the time of the last notice as `toldAt`. */
export function storedMemory({ incident, ...memory }: GroupMemory): StoredMemory {
  if (incident === null) return { ...memory, incident };
  const { notifiedAt, notice, ...rest } = incident;
  return { ...memory, incident: { ...rest, toldAt: notifiedAt, notice } };
}

export function memoryOf(text: string): GroupMemory {
  const { incident, ...memory } = JSON.parse(text) as StoredMemory;
  if (incident === null) return { ...memory, incident };
  const { toldAt, notice, ...rest } = incident;
  return { ...memory, incident: { ...rest, notifiedAt: toldAt, notice } };
}
