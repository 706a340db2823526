import type { StorePartAsideAnswer, StorePartCheckAnswer, StorePartsAnswer } from '../../contract/operator.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Store } from '../../store/store.ts';

/** Functions on the files of the store. All throw GatelogError. */
export interface StoreParts {
  readonly list: () => Promise<StorePartsAnswer>;
  readonly check: (table: string, part: string) => Promise<StorePartCheckAnswer>;
  readonly setAside: (table: string, part: string) => Promise<StorePartAsideAnswer>;
}

export function makeStoreParts(store: Pick<Store, 'listParts' | 'damage' | 'checkPart' | 'setAside'>, observe: Observe): StoreParts {
  const { listParts, damage, checkPart, setAside } = store;
  const list = async (): ReturnType<StoreParts['list']> => {
    if (listParts === undefined) throw onServer();
    await damage.refresh();
    const { parts } = await listParts();
    const lost = damage.parts().filter(({ isLost }) => isLost);
    return {
      in_use: parts.map(({ table, name, rows }) => ({ table, part: name, rows })),
      lost: lost.map(({ table, part, rows }) => ({ table, part, rows })),
    };
  };
  return {
    list,
    check: async (table, part) => {
      const checked = await checkPart(table, part);
      return { outcome: checked.outcome, reason: checked.outcome === 'damaged' ? checked.reason : null };
    },
    setAside: async (table, part) => {
      if (setAside === undefined) throw onServer();
      const { in_use: inUse, lost } = await list();
      const found = [...inUse, ...lost].find((one) => one.table === table && one.part === part);
      const { folder } = await setAside(table, part);
      const named = { table, part, rows: found?.rows ?? null };
      observe({ kind: 'store_part_set_aside', ...named });
      return { ...named, folder };
    },
  };
}

function onServer(): GatelogError {
  return new GatelogError(
    'invalid_parameter',
    'The store is a ClickHouse server (GATELOG_CLICKHOUSE_URL): look after its files with its own CHECK TABLE and DETACH PART.',
  );
}
