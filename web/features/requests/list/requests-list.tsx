import { type ReactNode, useMemo, useState } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { formatCount } from '../../../lib/format.ts';
import { Button } from '../../../ui/button.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { NoMatch } from '../../../ui/no-match.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import type { Column } from './columns.tsx';
import type { SortKey } from '../search.ts';
import { RequestGrid } from './request-grid.tsx';
import { type Live, maxLive } from './use-live.ts';
import type { RequestList } from './use-requests.ts';
import type { Selection } from './use-selection.ts';
import styles from './requests-list.module.css';

export interface RequestsListProps {
  readonly list: RequestList;
  readonly live: Live;
  /** Above the rows. */
  readonly strip: ReactNode;
  /** Over the last rows in view. */
  readonly bar: ReactNode;
  readonly columns: readonly Column[];
  readonly pinned: number;
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly onEnter: () => void;
  readonly words: readonly string[];
  readonly selection: Selection;
  readonly sort: SortKey;
  readonly onSort: (sort: SortKey) => void;
  /** Shows requests without a condition; undefined: there is none. */
  readonly onClear: (() => void) | undefined;
  /** Shows those of all time; undefined: they are. */
  readonly onAllTime: (() => void) | undefined;
}

/** The requests, with those that came in meanwhile at the top. While somebody reads further down, they wait behind a button. */
export function RequestsList({ list, live, strip, bar, onClear, onAllTime, ...grid }: RequestsListProps): ReactNode {
  const [isAtTop, setIsAtTop] = useState(true);
  /** Live requests that are in the list; those after them wait. */
  const [taken, setTaken] = useState(0);
  const arrived = live.count;
  // Another search, or live switched off, begins anew.
  if ((isAtTop && taken !== arrived) || taken > arrived) setTaken(arrived);
  const waiting = Math.max(0, arrived - taken);
  const rows = useMemo(() => joined(live.requests.slice(waiting), list.rows), [live.requests, waiting, list.rows]);
  if (list.error !== null) return <PageError error={list.error} />;
  if (list.isLoading) return <Loading what="Loading requests" />;
  if (rows.length === 0) return <Nothing hint={list.hint} onClear={onClear} onAllTime={onAllTime} />;
  return (
    <div className={styles['list']}>
      {arrived > maxLive && <Notice>Of the live requests, the newest {formatCount(maxLive)} are shown. Reload the page for all.</Notice>}
      {waiting > 0 && (
        <Button kind="primary" onPress={() => setTaken(arrived)}>
          {formatCount(waiting)} new
        </Button>
      )}
      {strip}
      <RequestGrid rows={rows} total={list.total} loadMore={list.loadMore} {...grid} onTop={setIsAtTop} />
      {bar}
    </div>
  );
}

/** A request may come in live and in a page that is loaded later. */
function joined(live: readonly RequestItem[], loaded: readonly RequestItem[]): readonly RequestItem[] {
  if (live.length === 0) return loaded;
  const known = new Set(loaded.map(({ request_id: id }) => id));
  return [...live.filter(({ request_id: id }) => !known.has(id)), ...loaded];
}

type NothingProps = Pick<RequestsListProps, 'onClear' | 'onAllTime'> & { readonly hint: string | undefined };

function Nothing({ hint, onClear, onAllTime }: NothingProps): ReactNode {
  return (
    <NoMatch
      title="No request matches"
      {...{ onClear, onAllTime, hint }}
      way={onClear === undefined && <LinkButton to="/start">Send a first call</LinkButton>}
    />
  );
}
