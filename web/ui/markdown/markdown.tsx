import type { Token, Tokens } from 'marked';
import { type ReactNode, useMemo } from 'react';
import styles from './markdown.module.css';
import { formatCount } from '../../lib/format.ts';
import { maxLength, plainText, readMarkdown, safeAddress } from './read-markdown.ts';

/** What is nested more deeply is shown as it was written. */
const maxDepth = 20;

/** Of a longer text only the parts in view are laid out. */
const longLength = 10_000;

export interface MarkdownProps {
  readonly text: string;
  /** In place of a text that is not read. */
  readonly fallback: ReactNode;
}

/** A text in markdown. Markup in it is text, a picture is a link, and nothing is loaded before somebody clicks. */
export function Markdown({ text, fallback }: MarkdownProps): ReactNode {
  const tokens = useMemo(() => readMarkdown(text), [text]);
  if (tokens === undefined) {
    return (
      <>
        {fallback}
        {text.length > maxLength && <p className="muted">Markdown is not shown beyond {formatCount(maxLength)} characters.</p>}
      </>
    );
  }
  return (
    <div className={styles['markdown']} data-long={text.length > longLength} dir="auto">
      <Parts tokens={tokens} depth={0} />
    </div>
  );
}

interface PartsProps {
  readonly tokens: readonly Token[] | undefined;
  readonly depth: number;
}

function Parts({ tokens, depth }: PartsProps): ReactNode {
  return tokens?.map((token, index) => (depth > maxDepth ? token.raw : <Part key={index} token={token} depth={depth + 1} />));
}

function Part({ token, depth }: { readonly token: Tokens.Generic; readonly depth: number }): ReactNode {
  const inside = <Parts tokens={token.tokens} depth={depth} />;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // The page has headings of its own.
      return (
        <p className={styles['heading']} data-depth={(token as Tokens.Heading).depth}>
          {inside}
        </p>
      );
    case 'paragraph':
      return <p>{inside}</p>;
    case 'blockquote':
      return <blockquote>{inside}</blockquote>;
    case 'code':
      return <Code token={token as Tokens.Code} />;
    case 'list':
      return <List token={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table token={token as Tokens.Table} depth={depth} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{inside}</strong>;
    case 'em':
      return <em>{inside}</em>;
    case 'del':
      return <del>{inside}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'link':
      return <Address address={(token as Tokens.Link).href}>{inside}</Address>;
    case 'image':
      return <Picture token={token as Tokens.Image} />;
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'text':
      return token.tokens === undefined ? plainText((token as Tokens.Text).text) : inside;
    case 'escape':
      return (token as Tokens.Escape).text;
    default:
      // Markup among others.
      return token.raw;
  }
}

function Code({ token: { text, lang } }: { readonly token: Tokens.Code }): ReactNode {
  return (
    <pre dir="ltr" tabIndex={0} role="group" aria-label={lang === undefined || lang === '' ? 'Code' : `Code in ${lang}`}>
      <code>{text}</code>
    </pre>
  );
}

function List({ token: { ordered, start, items }, depth }: { readonly token: Tokens.List; readonly depth: number }): ReactNode {
  const entries = items.map((item, index) => (
    <li key={index}>
      <Parts tokens={item.tokens} depth={depth} />
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
}

function Table({ token: { header, rows }, depth }: { readonly token: Tokens.Table; readonly depth: number }): ReactNode {
  return (
    <div className={styles['table']} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, index) => (
              <th key={index} scope="col" style={{ textAlign: align ?? 'start' }}>
                <Parts tokens={tokens} depth={depth} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map(({ tokens, align }, index) => (
                <td key={index} style={{ textAlign: align ?? 'start' }}>
                  <Parts tokens={tokens} depth={depth} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Address({ address, children }: { readonly address: string; readonly children: ReactNode }): ReactNode {
  const href = safeAddress(address);
  if (href === undefined) return children;
  return (
    <a href={href} title={href} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

function Picture({ token: { text, href } }: { readonly token: Tokens.Image }): ReactNode {
  const title = `Picture: ${text === '' ? href.slice(0, 80) : text}`;
  return <Address address={href}>{title}</Address>;
}
