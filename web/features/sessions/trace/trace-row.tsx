import { type CSSProperties, memo, type ReactNode } from 'react';
import { formatCount, formatDuration } from '../../../lib/format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Highlighted } from '../../../ui/highlighted.tsx';
import { KindIcon } from './kind-icon.tsx';
import { type GroupRow, hasFailed, type StepRow, type TraceRow as Row } from './rows.ts';
import { alignedCost, percent } from './shares.ts';
import { kindOf, nameOf, textsOf } from './step-text.ts';
import styles from './trace.module.css';

/** What the bars of a row are measured against. */
export interface Scale {
  readonly lengthMs: number;
  /** Of the whole session. */
  readonly cost: number;
  /** Of the row that costs the most. */
  readonly mostCost: number;
}

export interface TraceRowProps {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly scale: Scale;
  readonly isFolded: boolean;
  readonly isChosen: boolean;
  /** The model's step above names it already. */
  readonly isSameModel: boolean;
  /** Words that are looked for. */
  readonly words: readonly string[];
  readonly onChoose: (row: Row) => void;
  readonly onFold: (key: string) => void;
}

/** While the list is scrolled, the rows that stay in it are not rendered again. */
export const TraceRow = memo(function TraceRow({
  row,
  id,
  index,
  top,
  scale,
  isFolded,
  isChosen,
  isSameModel,
  ...rest
}: TraceRowProps): ReactNode {
  const { words, onChoose, onFold } = rest;
  const failed = row.kind === 'group' ? row.failed > 0 : hasFailed(row.step);
  const style = { transform: `translateY(${top}px)`, '--depth': row.depth } as CSSProperties;
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-level={row.depth + 1}
      aria-selected={isChosen}
      {...(row.kind === 'group' ? { 'aria-expanded': !isFolded } : {})}
      className={`${styles['row'] ?? ''} ${styles['columns'] ?? ''}`}
      data-kind={row.kind}
      data-failed={failed}
      style={style}
      onClick={() => onChoose(row)}
    >
      <span role="gridcell" className={`${styles['number'] ?? ''} number`}>
        {row.kind === 'step' ? formatCount(row.step.number) : ''}
      </span>
      <span role="gridcell" className={styles['what']}>
        {row.kind === 'group' ? (
          <GroupWhat row={row} isFolded={isFolded} onFold={onFold} />
        ) : (
          <StepWhat row={row} words={words} hasFailed={failed} isSameModel={isSameModel} />
        )}
      </span>
      <span role="gridcell" className={`${styles['took'] ?? ''} clip number`}>
        {formatDuration(row.kind === 'group' ? row.durationMs : row.step.request.latency)}
      </span>
      <CostCell row={row} scale={scale} />
      <TimeCell row={row} scale={scale} />
    </div>
  );
});

interface UnloadedRowProps {
  readonly index: number;
  readonly top: number;
  /** Of the step in the session. */
  readonly number: number;
}

/** Stands for a step that is on its way. */
export const UnloadedRow = memo(function UnloadedRow({ index, top, number }: UnloadedRowProps): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy="true"
      className={`${styles['row'] ?? ''} ${styles['columns'] ?? ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className={`${styles['number'] ?? ''} number`}>
        {formatCount(number)}
      </span>
      <span role="gridcell" className={`${styles['what'] ?? ''} muted`}>
        Loading step {formatCount(number)}…
      </span>
    </div>
  );
});

interface StepWhatProps {
  readonly row: StepRow;
  readonly words: readonly string[];
  readonly hasFailed: boolean;
  readonly isSameModel: boolean;
}

function StepWhat({ row, words, hasFailed: failed, isSameModel }: StepWhatProps): ReactNode {
  const { request } = row.step;
  const { input, output } = textsOf(request);
  const isImplied = isSameModel && input + output !== '';
  const name = nameOf(request);
  return (
    <>
      <KindIcon kind={kindOf(request)} hasFailed={failed} />
      {row.place !== '' && (
        <span className={`clip ${styles['place'] ?? ''}`} dir="auto" title={request.session_path ?? undefined}>
          {row.place}
        </span>
      )}
      <span className={`clip ${styles['name'] ?? ''}`} dir="auto" title={name} data-implied={isImplied}>
        <Highlighted text={name} words={words} />
      </span>
      {failed && <Badge kind="bad">{failureWord(request.response_status)}</Badge>}
      {request.cached && <Badge kind="plain">cached</Badge>}
      <span className={styles['words']}>
        {input !== '' && (
          <span className="clip" dir="auto" title={input}>
            <Highlighted text={input} words={words} />
          </span>
        )}
        {output !== '' && (
          <span className={`clip ${styles['output'] ?? ''}`} dir="auto" title={output}>
            <Highlighted text={output} words={words} />
          </span>
        )}
      </span>
    </>
  );
}

/** A status that is good says nothing of why a call failed. */
function failureWord(status: number): string {
  return status >= 400 ? `failed ${status}` : 'failed';
}

interface GroupWhatProps {
  readonly row: GroupRow;
  readonly isFolded: boolean;
  readonly onFold: (key: string) => void;
}

function GroupWhat({ row, isFolded, onFold }: GroupWhatProps): ReactNode {
  return (
    <>
      <span
        className={styles['fold']}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onFold(row.key);
        }}
      >
        {isFolded ? '▸' : '▾'}
      </span>
      <KindIcon kind="group" hasFailed={row.failed > 0} />
      <span className={`clip ${styles['name'] ?? ''}`} dir="auto" title={row.name}>
        {row.name}
      </span>
      {row.failed > 0 && <Badge kind="bad">{formatCount(row.failed)} failed</Badge>}
      <span className={styles['words']}>
        <span className="clip">{formatCount(row.steps.length)} steps</span>
      </span>
    </>
  );
}

/** A shorter bar, of two pixels or less, would look like a speck. */
const leastBar = 0.03;

/** All bars have one measure: who compares two of them, of a step and of a group too, compares their costs. */
function CostCell({ row: { kind, cost }, scale }: { readonly row: Row; readonly scale: Scale }): ReactNode {
  const length = scale.mostCost === 0 ? 0 : (cost ?? 0) / scale.mostCost;
  const bar = { '--length': `${100 * length}%` } as CSSProperties;
  const share = cost === null || scale.cost === 0 ? undefined : `${percent(cost / scale.cost)} of the session’s cost`;
  return (
    <span role="gridcell" className={styles['cost']} title={share}>
      <span className="clip number">{alignedCost(cost)}</span>
      {length >= leastBar && <span className={styles['share']} style={bar} data-kind={kind} />}
      {share !== undefined && <span className="visually-hidden">, {share}</span>}
    </span>
  );
}

function TimeCell({ row, scale }: { readonly row: Row; readonly scale: Scale }): ReactNode {
  const bar = {
    '--from': `${(100 * row.startMs) / scale.lengthMs}%`,
    '--length': `${(100 * row.durationMs) / scale.lengthMs}%`,
  } as CSSProperties;
  const since = `${formatDuration(row.startMs)} after the beginning`;
  return (
    <span role="gridcell" className={styles['time']} title={since}>
      <span className={styles['bar']} style={bar} data-kind={row.kind === 'group' ? 'group' : kindOf(row.step.request)} />
      <span className="visually-hidden">{since}</span>
    </span>
  );
}
