import { isJsonObject, type JsonObject, parseRecordedJson } from '../../../model/text.ts';
import type { Destination } from '../destination.ts';

/** Our side in memory, with the rules of the import endpoint. */
export interface HeldDestination extends Destination {
  readonly items: Map<string, JsonObject>;
}

export function heldDestination(refuses: (item: JsonObject) => string | undefined = () => undefined): HeldDestination {
  const items = new Map<string, JsonObject>();
  return {
    name: 'http://here',
    items,
    check: () => Promise.resolve(),
    send: (lines, isDryRun) => {
      let [imported, already] = [0, 0];
      const rejected = new Map<number, string>();
      for (const [index, line] of lines.entries()) {
        const item = parseRecordedJson(line);
        if (!isJsonObject(item)) throw new Error(`no item: ${line}`);
        const id = String(item['request_id']);
        const reason = refuses(item);
        if (reason !== undefined) rejected.set(index, reason);
        else if (items.has(id)) already += 1;
        else {
          imported += 1;
          if (!isDryRun) items.set(id, item);
        }
      }
      return Promise.resolve({ imported, already, rejected });
    },
    find: (ids) => Promise.resolve(new Map(ids.flatMap((id) => (items.has(id) ? [[id, items.get(id) ?? {}] as const] : [])))),
  };
}
