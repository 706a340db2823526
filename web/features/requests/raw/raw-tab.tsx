import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { BodyBeginning, RequestBeginning, RequestItem } from '../../../../src/client/client.ts';
import { formatBytes, formatCount } from '../../../lib/format.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { CodeView } from './code-view.tsx';
import {
  beginningOf,
  type BodyView,
  linesOfBeginning,
  type RawBody,
  rawBody,
  shownBody,
  shownLength,
  shownLineLength,
} from './raw-bodies.ts';
import styles from './raw.module.css';

export interface RawTabProps {
  readonly request: RequestItem;
  /** How the bodies begin, which the request does not have yet. */
  readonly beginning?: RequestBeginning | undefined;
  /** Once a beginning is in view. */
  readonly onDrawn?: () => void;
}

/** Both bodies as they are recorded. */
export function RawTab({ request, beginning, onDrawn }: RawTabProps): ReactNode {
  const { request_id: id, signed_body_url: signed } = request;
  return (
    <div className={styles['raw']}>
      <Body
        title="Request"
        body={request.request_body}
        isCut={request.request_body_cut}
        begins={beginning?.request_body}
        onDrawn={onDrawn}
      />
      <Body
        title="Response"
        body={request.response_body}
        isCut={request.response_body_cut}
        begins={beginning?.response_body}
        onDrawn={onDrawn}
      />
      <p className="muted">
        JSON is formatted; numbers are as they came. The events of a stream are put together.{' '}
        {signed !== null && (
          <a href={addressHere(signed)} download={`${id}.json`}>
            Download both bodies
          </a>
        )}
      </p>
    </div>
  );
}

/** At this page's own service, whatever name it gives itself. */
function addressHere(signed: string): string {
  const { pathname, search } = new URL(signed, location.href);
  return pathname + search;
}

interface BodyProps {
  readonly title: string;
  readonly body: unknown;
  /** Less of it was recorded than passed. */
  readonly isCut: boolean;
  /** How it begins, as long as the body itself is not there. */
  readonly begins: BodyBeginning | null | undefined;
  readonly onDrawn: (() => void) | undefined;
}

function Body({ title, body, isCut, begins, onDrawn }: BodyProps): ReactNode {
  const raw = useMemo(() => rawBody(body), [body]);
  const beginning = useMemo(() => firstLinesOf(body, raw, begins ?? undefined), [body, raw, begins]);
  const [isOpen, setIsOpen] = useState(false);
  const shown = useWhole({ body, raw, hasBeginning: beginning !== undefined, isOpen });
  const lines = shown?.lines ?? beginning;
  return (
    <section className={styles['body']} aria-label={title}>
      <header className={styles['head']}>
        <h3>{title}</h3>
        {raw !== undefined && (
          <>
            <About raw={raw} />
            <CopyButton label={`Copy the body of the ${title.toLowerCase()}`} text={raw.text} />
          </>
        )}
      </header>
      {isCut && <Notice kind="warning">Only the beginning was recorded: the end is missing.</Notice>}
      {shown?.isCut === true && <Notice>The first {formatCount(shownLength)} characters are shown. The download has all.</Notice>}
      {shown !== undefined && shown.longLines > 0 && (
        <Notice>
          Of {formatCount(shown.longLines)} long {shown.longLines === 1 ? 'line' : 'lines'}, the first {formatCount(shownLineLength)}{' '}
          characters are shown and searched. The copy and the download have all.
        </Notice>
      )}
      {lines === undefined ? (
        <p className="muted">No body is kept.</p>
      ) : (
        <CodeView
          label={`Body of the ${title.toLowerCase()}`}
          lines={lines}
          isWhole={shown !== undefined}
          isJson={(raw ?? begins)?.kind === 'json'}
          onOpen={() => {
            setIsOpen(true);
            if (raw === undefined) onDrawn?.();
          }}
        />
      )}
    </section>
  );
}

function firstLinesOf(body: unknown, raw: RawBody | undefined, begins: BodyBeginning | undefined): readonly string[] | undefined {
  if (raw !== undefined) return beginningOf(body, raw);
  return begins === undefined ? undefined : linesOfBeginning(begins);
}

interface WholeBody {
  readonly body: unknown;
  readonly raw: RawBody | undefined;
  readonly hasBeginning: boolean;
  /** What shows the beginning is there. */
  readonly isOpen: boolean;
}

/** All lines of a body: at once, or as soon as a beginning of it is drawn. */
function useWhole({ body, raw, hasBeginning, isOpen }: WholeBody): BodyView | undefined {
  const atOnce = useMemo(() => (raw === undefined || hasBeginning ? undefined : shownBody(body, raw)), [body, raw, hasBeginning]);
  const [later, setLater] = useState<{ readonly raw: RawBody; readonly view: BodyView }>();
  useEffect(() => {
    if (raw === undefined || !hasBeginning || !isOpen) return undefined;
    const timer = setTimeout(() => setLater({ raw, view: shownBody(body, raw) }), drawnAfterMs);
    return () => clearTimeout(timer);
  }, [body, raw, hasBeginning, isOpen]);
  return atOnce ?? (later?.raw === raw ? later?.view : undefined);
}

/** What is opened is drawn. */
const drawnAfterMs = 50;

/** A body is in view before it is measured. */
const measuredAfterMs = 200;

function About({ raw }: { readonly raw: RawBody }): ReactNode {
  const [measured, setMeasured] = useState<{ readonly raw: RawBody; readonly length: number }>();
  useEffect(() => {
    const timer = setTimeout(() => setMeasured({ raw, length: raw.text().length }), measuredAfterMs);
    return () => clearTimeout(timer);
  }, [raw]);
  return <p className="muted">{aboutBody(raw, measured?.raw === raw ? measured.length : undefined)}</p>;
}

function aboutBody({ kind, contentType }: RawBody, length: number | undefined): string {
  const name = kind === 'bytes' ? contentType : kind === 'json' ? 'JSON' : 'Text';
  if (length === undefined) return name;
  return kind === 'bytes'
    ? `${name}, ${formatBytes(Math.floor((length * 3) / 4))}, in base64`
    : `${name}, ${formatCount(length)} characters`;
}
