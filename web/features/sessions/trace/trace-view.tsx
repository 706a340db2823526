import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import type { SessionItem } from '../../../../src/client/client.ts';
import { formatCount } from '../../../lib/format.ts';
import { usePageKeys } from '../../../lib/page-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import type { SessionSearch, StepView } from '../search.ts';
import { FindField } from './find-field.tsx';
import { GroupDetail } from './group-detail.tsx';
import type { TraceRow } from './rows.ts';
import { StepDetail } from './step-detail.tsx';
import { lengthOf, type Step, stepBefore } from './steps.ts';
import { type TraceActions, TraceList } from './trace-list.tsx';
import styles from './trace-view.module.css';
import { useNarrowTrace } from '../../../lib/use-narrow.ts';
import { treeMove, useTraceRows } from './use-trace.ts';

const route = getRouteApi('/shell/sessions/$sessionId');

export interface TraceViewProps {
  readonly session: SessionItem;
  /** Those that are loaded. */
  readonly steps: readonly Step[];
  readonly layout: 'steps' | 'timeline';
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  /** Further steps could not be loaded; asks for them again. */
  readonly onRetry: (() => void) | undefined;
}

/** The steps of a session, and the chosen one beside them. */
export function TraceView({ session, steps, layout, hasMore, loadMore, onRetry }: TraceViewProps): ReactNode {
  const { step: key, view = 'conversation', find = '', failed = false } = route.useSearch();
  const { rows, folded, mostCost, sameModel, toggle } = useTraceRows(steps, { find, failed });
  const isNarrow = useNarrowTrace();
  const chosen = useChosen({ rows, steps, key, isFirstShown: !isNarrow });
  const isMissing = key !== undefined && chosen === undefined;
  // Further ones would come between those that are shown.
  const isWholeNeeded = find !== '' || failed;
  useWhole({ isWanted: isMissing || isWholeNeeded, hasMore, loadMore });
  const unloaded = { count: isWholeNeeded || !hasMore ? 0 : Math.max(0, session.total_requests - steps.length), first: steps.length + 1 };
  const scale = useMemo(() => ({ lengthMs: lengthOf(steps), cost: session.total_cost, mostCost }), [steps, session, mostCost]);
  const { go, choose } = useGo(key);
  const list = useRef<HTMLDivElement>(null);
  const details = useRef<HTMLHeadingElement>(null);
  const index = chosen === undefined ? -1 : rows.findIndex((row) => row.key === chosen.key);
  const actions = actionsOf({ rows, folded, index, choose, toggle });
  usePageKeys({ j: () => actions.move(1), k: () => actions.move(-1), Enter: () => details.current?.focus() });
  const isOpen = chosen !== undefined;
  return (
    <div className={styles['split']} data-open={isOpen}>
      <div className={styles['left']}>
        <Bar {...{ find, failed, hasMore, onRetry }} shown={rows.length} total={session.total_requests} onChange={go} />
        {rows.length === 0 && !hasMore ? (
          <NothingFound onClear={() => go({ find: undefined, failed: undefined })} />
        ) : (
          <TraceList
            {...{ rows, unloaded, folded, sameModel, scale, layout, actions }}
            chosen={index}
            words={find === '' ? noWords : [find.trim()]}
            onChoose={(row) => choose(row, false)}
            onFold={toggle}
            onEnd={loadMore}
            onEnter={() => details.current?.focus()}
            listRef={list}
          />
        )}
      </div>
      {isOpen && (
        <Side
          row={chosen}
          {...{ steps, session, view, details, list }}
          onGo={go}
          onStep={(step) => go({ step: step.request.request_id }, false)}
        />
      )}
    </div>
  );
}

const noWords: readonly string[] = [];

interface Whole {
  readonly isWanted: boolean;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

/** Loads all steps, one part after the other: each time a part has come, `loadMore` is another function. */
function useWhole({ isWanted, hasMore, loadMore }: Whole): void {
  useEffect(() => {
    if (isWanted && hasMore) loadMore();
  }, [isWanted, hasMore, loadMore]);
}

interface Choice {
  readonly rows: readonly TraceRow[];
  readonly steps: readonly Step[];
  readonly key: string | undefined;
  /** Whether the first step stands for a choice. */
  readonly isFirstShown: boolean;
}

/** The row of a key. A step that is folded or filtered away is shown all the same. */
function useChosen({ rows, steps, key, isFirstShown }: Choice): TraceRow | undefined {
  return useMemo(() => {
    if (key === undefined) return isFirstShown ? rows.find(({ kind }) => kind === 'step') : undefined;
    const row = rows.find((one) => one.key === key);
    if (row !== undefined) return row;
    const step = steps.find(({ request }) => request.request_id === key);
    return step === undefined
      ? undefined
      : { kind: 'step', key, depth: 0, startMs: 0, durationMs: 0, cost: step.request.cost, step, place: '' };
  }, [rows, steps, key, isFirstShown]);
}

/** Changes the address. The first choice and those by a click can be gone back from; keys go on from one step to the next. */
function useGo(key: string | undefined) {
  const navigate = route.useNavigate();
  const go = useCallback(
    (changed: SessionSearch, replace = true): void => {
      void navigate({ search: (search) => ({ ...search, ...changed }), replace, state: true, resetScroll: false });
    },
    [navigate],
  );
  const choose = useCallback((row: TraceRow, isByKey = true): void => go({ step: row.key }, isByKey && key !== undefined), [go, key]);
  return { go, choose };
}

interface Tree {
  readonly rows: readonly TraceRow[];
  readonly folded: ReadonlySet<string>;
  readonly index: number;
  readonly choose: (row: TraceRow) => void;
  readonly toggle: (key: string) => void;
}

function actionsOf({ rows, folded, index, choose, toggle }: Tree): TraceActions {
  const to = (wanted: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, wanted))];
    if (row !== undefined) choose(row);
  };
  return {
    move: (by) => to(index + by),
    toEnd: (end) => to(end === 'first' ? 0 : rows.length - 1),
    fold: (isFolded) => {
      const next = treeMove(rows, folded, index, isFolded);
      const row = rows[index];
      if (next === 'fold' && row !== undefined) toggle(row.key);
      else if (next !== undefined && next !== 'fold') choose(next);
    },
  };
}

interface BarProps {
  readonly find: string;
  readonly failed: boolean;
  readonly hasMore: boolean;
  readonly shown: number;
  readonly total: number;
  readonly onRetry: TraceViewProps['onRetry'];
  readonly onChange: (changed: SessionSearch) => void;
}

function Bar({ find, failed, hasMore, shown, total, onRetry, onChange }: BarProps): ReactNode {
  const isFiltered = find !== '' || failed;
  return (
    <div className={styles['bar']}>
      <FindField value={find} onChange={(text) => onChange({ find: text === '' ? undefined : text })} />
      <Button kind="quiet" aria-pressed={failed} onPress={() => onChange({ failed: failed ? undefined : true })}>
        Failed only
      </Button>
      <span className="muted" aria-live="polite">
        {isFiltered && `${formatCount(shown)} of ${formatCount(total)} steps${hasMore ? ' so far' : ''}`}
      </span>
      {onRetry !== undefined && (
        <span role="alert">
          Some steps could not be loaded. <Button onPress={onRetry}>Try again</Button>
        </span>
      )}
    </div>
  );
}

function NothingFound({ onClear }: { readonly onClear: () => void }): ReactNode {
  return (
    <Empty title="No step matches">
      <Button onPress={onClear}>Clear the filter</Button>
    </Empty>
  );
}

interface SideProps {
  readonly row: TraceRow;
  readonly steps: readonly Step[];
  readonly session: SessionItem;
  readonly view: StepView;
  readonly details: RefObject<HTMLHeadingElement | null>;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly onGo: (changed: SessionSearch, replace?: boolean) => void;
  readonly onStep: (step: Step) => void;
}

function Side({ row, steps, session, view, details, list, onGo, onStep }: SideProps): ReactNode {
  const isNarrow = useNarrowTrace();
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    if (isNarrow) onGo({ step: undefined });
    else list.current?.focus();
  };
  return (
    <aside aria-label="Step" className={styles['side']}>
      <div key={row.key} role="presentation" className={styles['panel']} onKeyDown={onKeyDown}>
        {isNarrow && (
          <div>
            <Button onPress={() => onGo({ step: undefined })}>‹ All steps</Button>
          </div>
        )}
        {row.kind === 'group' ? (
          <GroupDetail group={row} sessionCost={session.total_cost} onStep={onStep} ref={details} />
        ) : (
          <StepDetail
            step={row.step}
            before={stepBefore(steps, row.step)}
            total={session.total_requests}
            sessionCost={session.total_cost}
            view={view}
            onView={(next) => onGo({ view: next === 'conversation' ? undefined : next })}
            ref={details}
          />
        )}
      </div>
    </aside>
  );
}
