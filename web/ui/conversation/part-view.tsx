import { type ReactNode, useMemo, useState } from 'react';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';
import styles from './conversation.module.css';
import { FirstOf } from './first-of.tsx';
import { JsonText, LongText } from './long-text.tsx';
import { pictureSize } from './picture-size.ts';
import type { Audio, Part, ToolCall, ToolResult } from './read/part.ts';
import { useIsMarkdown } from './use-markdown.ts';

export interface PartViewProps {
  readonly part: Part;
  /** The result that is shown in this call. */
  readonly result?: ToolResult | undefined;
  /** The call of this result, which is shown elsewhere. */
  readonly call?: ToolCall | undefined;
  /** Whether the text comes from a person or a model, who write markdown. */
  readonly isSpoken?: boolean;
  /** Characters that are shown of a longer text. */
  readonly shownLength?: number | undefined;
}

/** A part of what was said. Nothing in it is markup. */
export function PartView({ part, result, call, isSpoken = false, shownLength }: PartViewProps): ReactNode {
  const isMarkdown = useIsMarkdown() && isSpoken;
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} isMarkdown={isMarkdown} shownLength={shownLength} />;
    case 'reasoning':
      return <Reasoning text={part.text} />;
    case 'refusal':
      return (
        <Notice kind="warning">
          <strong>Refused. </strong>
          <span className={styles['text']} dir="auto">
            {part.text}
          </span>
        </Notice>
      );
    case 'error':
      return (
        <div className={styles['error']}>
          {part.code !== '' && <strong dir="auto">{part.code}</strong>}
          <LongText text={part.text} />
        </div>
      );
    case 'tool-call':
      return <Call call={part} result={result} />;
    case 'tool-result':
      return <Result result={part} call={call} />;
    case 'image':
      return <Picture source={part.source} />;
    case 'audio':
      return <AudioView audio={part} />;
    case 'file':
      return (
        <p className={styles['text']}>
          File <strong dir="auto">{part.name}</strong> <span className="muted">{aboutFile(part)}</span>
        </p>
      );
    case 'link':
      return (
        <p className={styles['text']}>
          {part.what} at{' '}
          <a href={part.address} rel="noreferrer noopener" target="_blank">
            {part.address}
          </a>
        </p>
      );
    case 'vector':
      return (
        <p className={styles['code']}>
          {formatCount(part.dimensions)} dimensions: {part.first.join(', ')}
          {part.dimensions > part.first.length && ', …'}
        </p>
      );
    case 'other':
      return <JsonText value={part.value} />;
  }
}

function Reasoning({ text }: { readonly text: string | undefined }): ReactNode {
  if (text === undefined) return <p className="muted">Reasoning that the provider does not show.</p>;
  return (
    <details className={styles['fold']}>
      <summary>Reasoning</summary>
      <LongText text={text} />
    </details>
  );
}

function Call({ call, result }: { readonly call: ToolCall; readonly result: ToolResult | undefined }): ReactNode {
  return (
    <div className={styles['tool']} role="group" aria-label={`Call of ${call.name}`}>
      <ToolHead what="Call of" name={call.name} id={call.id} />
      <JsonText value={call.input ?? {}} />
      {result !== undefined && (
        <div className={styles['result']}>
          <p className="muted">{result.isError ? 'Result, an error' : 'Result'}</p>
          <ResultParts parts={result.parts} />
        </div>
      )}
    </div>
  );
}

function Result({ result, call }: { readonly result: ToolResult; readonly call: ToolCall | undefined }): ReactNode {
  const name = call?.name ?? result.name;
  return (
    <div className={styles['tool']} role="group" aria-label={`Result of ${name}`}>
      <ToolHead what={result.isError ? 'Error of' : 'Result of'} name={name} id={result.id} />
      {call !== undefined && (
        <details className={styles['fold']}>
          <summary>Its call</summary>
          <JsonText value={call.input ?? {}} />
        </details>
      )}
      <ResultParts parts={result.parts} />
    </div>
  );
}

const resultPartsAtOnce = 50;

function ResultParts({ parts }: { readonly parts: readonly Part[] }): ReactNode {
  if (parts.length === 0) return <p className="muted">Empty.</p>;
  return (
    <FirstOf items={parts} step={resultPartsAtOnce}>
      {(some) => some.map((part, at) => <PartView key={at} part={part} />)}
    </FirstOf>
  );
}

function ToolHead({ what, name, id }: { readonly what: string; readonly name: string; readonly id: string }): ReactNode {
  return (
    <p className={styles['tool-head']}>
      <span>
        <span className="muted">{what}</span> <strong dir="auto">{name === '' ? 'a tool' : name}</strong>
      </span>
      <code className="clip muted" title={id}>
        {id}
      </code>
    </p>
  );
}

/** Of a larger one, a browser needs hundreds of megabytes, however few bytes the file has. */
const maxPixels = 25_000_000;
/** No format packs more pixels than that into so few characters. */
const smallLength = 1000;

function Picture({ source }: { readonly source: string }): ReactNode {
  const size = useMemo(() => pictureSize(source), [source]);
  const [isShown, setIsShown] = useState(source.length < smallLength || (size !== undefined && size.width * size.height <= maxPixels));
  if (isShown) return <img className={styles['image']} src={source} alt="Part of the conversation" loading="lazy" />;
  const about = size === undefined ? 'of unknown size' : `of ${formatCount(size.width)} × ${formatCount(size.height)} pixels`;
  return (
    <p>
      <Button onPress={() => setIsShown(true)}>Show the picture {about}</Button>
    </p>
  );
}

function AudioView({ audio }: { readonly audio: Audio }): ReactNode {
  const about = [audio.format === '' ? 'audio' : audio.format.toUpperCase(), audio.bytes > 0 ? formatBytes(audio.bytes) : ''];
  return (
    <div className={styles['long']}>
      <p className="muted">Recording, {about.filter((one) => one !== '').join(', ')}</p>
      {audio.source !== undefined && (
        <audio controls preload="metadata" src={audio.source} aria-label="Recording">
          <track kind="captions" />
        </audio>
      )}
      {audio.transcript !== '' && <LongText text={audio.transcript} />}
    </div>
  );
}

function aboutFile({ type, bytes }: Extract<Part, { readonly kind: 'file' }>): string {
  return bytes > 0 ? `${type}, ${formatBytes(bytes)}` : type;
}
