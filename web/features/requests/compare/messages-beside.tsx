import { type ReactNode, useMemo } from 'react';
import type { RequestItem } from '../../../../src/client/client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { pairTools, type ToolPairs } from '../../../ui/conversation/pairs.ts';
import { PartView } from '../../../ui/conversation/part-view.tsx';
import type { Part, Turn } from '../../../ui/conversation/read/part.ts';
import { turnsOfRequest, turnsOfResponse } from '../../../ui/conversation/read/turns.ts';
import { alignTurns, type TurnPair } from './align.ts';
import styles from './compare.module.css';
import { type Piece, textDifference } from './text-difference.ts';

/** The messages of two requests, aligned: the same are closed, of the others the words that differ are marked. */
export function MessagesBeside({ left, right }: { readonly left: RequestItem; readonly right: RequestItem }): ReactNode {
  const [ours, theirs] = useMemo(() => [turnsOf(left), turnsOf(right)], [left, right]);
  const rows = useMemo(() => alignTurns(ours, theirs), [ours, theirs]);
  const callOf = useMemo(() => new Map([...pairTools(ours).callOf, ...pairTools(theirs).callOf]), [ours, theirs]);
  if (rows.length === 0) return <p className="muted">Neither has messages that this page can read.</p>;
  return (
    <ol className={styles['messages']}>
      {rows.map((row, index) => (
        <li key={index}>{row.isSame ? <Same row={row} callOf={callOf} /> : <Different row={row} callOf={callOf} />}</li>
      ))}
    </ol>
  );
}

function turnsOf({ request_body: request, response_body: response }: RequestItem): readonly Turn[] {
  return [...turnsOfRequest(request), ...turnsOfResponse(response)];
}

const titleLength = 120;

type CallOf = ToolPairs['callOf'];

interface RowProps {
  readonly row: TurnPair;
  readonly callOf: CallOf;
}

function Same({ row: { left }, callOf }: RowProps): ReactNode {
  if (left === undefined) return null;
  return (
    <details className={styles['same']}>
      <summary>
        <Badge kind="plain">same</Badge> <b>{left.role}</b>{' '}
        <span className="clip muted" dir="auto">
          {titleOf(left.parts)}
        </span>
      </summary>
      <Parts parts={left.parts} callOf={callOf} />
    </details>
  );
}

function titleOf(parts: readonly Part[]): string {
  const texts = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    return part.kind === 'tool-call' ? `calls ${part.name}` : part.kind === 'tool-result' ? 'result' : part.kind;
  });
  return texts.join(' ').slice(0, titleLength);
}

function Different({ row: { left, right }, callOf }: RowProps): ReactNode {
  return (
    <div className={styles['pair']}>
      <Side turn={left} other={right} side="left" callOf={callOf} />
      <Side turn={right} other={left} side="right" callOf={callOf} />
    </div>
  );
}

interface SideProps {
  readonly turn: Turn | undefined;
  readonly other: Turn | undefined;
  readonly side: 'left' | 'right';
  readonly callOf: CallOf;
}

function Side({ turn, other, side, callOf }: SideProps): ReactNode {
  if (turn === undefined) return <p className={`muted ${styles['missing'] ?? ''}`}>Not on this side.</p>;
  return (
    <article className={styles['side']}>
      <h3>
        {turn.role} <Badge kind="warning">{other === undefined ? `only ${side}` : 'differs'}</Badge>
      </h3>
      {turn.parts.map((part, at) => (
        <ComparedPart key={at} part={part} other={other?.parts[at]} side={side} callOf={callOf} />
      ))}
    </article>
  );
}

interface ComparedPartProps {
  readonly part: Part;
  readonly other: Part | undefined;
  readonly side: 'left' | 'right';
  readonly callOf: CallOf;
}

function ComparedPart({ part, other, side, callOf }: ComparedPartProps): ReactNode {
  const [own, theirs] = [part.kind === 'text' ? part.text : undefined, other?.kind === 'text' ? other.text : undefined];
  const pieces = useMemo(() => {
    if (own === undefined || theirs === undefined) return undefined;
    return side === 'left' ? textDifference(own, theirs).left : textDifference(theirs, own).right;
  }, [own, theirs, side]);
  if (pieces === undefined) return <PartView part={part} call={part.kind === 'tool-result' ? callOf.get(part) : undefined} />;
  return (
    <p className={styles['text']} dir="auto">
      {pieces.map((piece, at) => (
        <PieceView key={at} piece={piece} side={side} />
      ))}
    </p>
  );
}

function PieceView({ piece: { text, isChanged }, side }: { readonly piece: Piece; readonly side: 'left' | 'right' }): ReactNode {
  if (!isChanged) return text;
  return side === 'left' ? <del>{text}</del> : <ins>{text}</ins>;
}

function Parts({ parts, callOf }: { readonly parts: readonly Part[]; readonly callOf: CallOf }): ReactNode {
  return (
    <div className={styles['parts']}>
      {parts.map((part, at) => (
        <PartView key={at} part={part} call={part.kind === 'tool-result' ? callOf.get(part) : undefined} />
      ))}
    </div>
  );
}
