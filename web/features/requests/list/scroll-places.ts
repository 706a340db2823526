/** Lists of this tab whose place is remembered; of more, the one that was left first is forgotten. */
const most = 50;

const places = new Map<string, number>();

/** Where a list was scrolled to, by its entry in the history of the tab. Pixels. */
export function scrollPlace(entry: string): number {
  return places.get(entry) ?? 0;
}

export function rememberScrollPlace(entry: string, top: number): void {
  places.delete(entry);
  places.set(entry, top);
  const [first] = places.keys();
  if (places.size > most && first !== undefined) places.delete(first);
}
