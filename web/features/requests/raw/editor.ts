import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Range, Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { foldMembers, folding, unfolded, unfoldEverything } from './folding.ts';
import { type JsonToken, lineTokens } from './line-tokens.ts';

export interface OpenedEditor {
  readonly search: () => void;
  readonly foldMembers: () => void;
  readonly unfoldEverything: () => void;
  readonly close: () => void;
  /** Where they go on from those that are there, a place, a fold and a selection stay. */
  readonly showLines: (lines: readonly string[]) => void;
}

export interface EditorOptions {
  readonly lines: readonly string[];
  readonly isJson: boolean;
  readonly label: string;
  /** TRICKY: in a shadow tree the library's styles are sheets that no policy forbids; elsewhere they are elements, which ours does. */
  readonly root: ShadowRoot;
}

/** Shows a text that can be searched, selected and folded, and not changed. */
export function openEditor({ lines, isJson, label, root }: EditorOptions): OpenedEditor {
  const parent = document.createElement('div');
  parent.style.height = '100%';
  root.replaceChildren(parent);
  const state = EditorState.create({
    doc: Text.of(lines),
    extensions: [
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', inputmode: 'none', tabindex: '0' }),
      lineNumbers(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of(searchKeymap),
      EditorView.lineWrapping,
      theme,
      ...(isJson ? [folding, highlighting] : []),
    ],
  });
  const view = new EditorView({ state, parent, root });
  let shown = lines;
  return {
    search: () => {
      view.focus();
      openSearchPanel(view);
    },
    foldMembers: () => foldMembers(view),
    unfoldEverything: () => unfoldEverything(view),
    close: () => view.destroy(),
    showLines: (next) => {
      const { length } = view.state.doc;
      const goesOn = shown.every((line, index) => line === next[index]);
      if (!goesOn) view.dispatch({ changes: { from: 0, to: length, insert: Text.of(next) }, effects: unfolded });
      else if (next.length > shown.length) view.dispatch({ changes: { from: length, insert: Text.of(['', ...next.slice(shown.length)]) } });
      shown = next;
    },
  };
}

const marks: Readonly<Record<JsonToken['kind'], Decoration>> = {
  name: Decoration.mark({ class: 'cm-json-name' }),
  string: Decoration.mark({ class: 'cm-json-string' }),
  number: Decoration.mark({ class: 'cm-json-number' }),
  word: Decoration.mark({ class: 'cm-json-word' }),
};

/** Characters of a line that are coloured. */
const colouredLength = 10_000;

/** Colours the lines in view: laid out JSON has no token that goes over a line. */
const highlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colours(view);
    }

    update({ view, viewportChanged }: ViewUpdate): void {
      if (viewportChanged) this.decorations = colours(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function colours(view: EditorView): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let place = from; place <= to;) {
      const line = view.state.doc.lineAt(place);
      for (const token of lineTokens(line.text.slice(0, colouredLength))) {
        ranges.push(marks[token.kind].range(line.from + token.from, line.from + token.to));
      }
      place = line.to + 1;
    }
  }
  return Decoration.set(ranges, true);
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--size-1)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--text-muted)', backgroundColor: 'var(--surface)', border: 'none' },
  '.cm-folds .cm-gutterElement': { width: '1.1rem', cursor: 'pointer', textAlign: 'center' },
  '.cm-folded': {
    margin: '0 0.2rem',
    padding: '0 0.3rem',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    color: 'var(--text-muted)',
    background: 'var(--sunken)',
    font: 'inherit',
    cursor: 'pointer',
  },
  '.cm-json-name': { color: 'var(--series-3)' },
  '.cm-json-string': { color: 'var(--series-1)' },
  '.cm-json-number': { color: 'var(--series-2)' },
  '.cm-json-word': { color: 'var(--series-4)' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '0.3rem', padding: '0.4rem 2rem 0.4rem 0.5rem' },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search label': { fontSize: 'var(--size-1)', color: 'var(--text-muted)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text-muted)', minWidth: '1.5rem', minHeight: '1.5rem', cursor: 'pointer' },
  '.cm-textfield': {
    margin: '0',
    padding: '0.25rem 0.5rem',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: 'inherit',
  },
  '.cm-button': {
    margin: '0',
    padding: '0.25rem 0.6rem',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--text)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--size-1)',
    cursor: 'pointer',
  },
});
