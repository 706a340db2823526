import { type EditorState, type Extension, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, keymap, WidgetType } from '@codemirror/view';

interface Fold {
  readonly from: number;
  readonly to: number;
}

const fold = StateEffect.define<Fold>();
const unfold = StateEffect.define<Fold>();
const unfoldAll = StateEffect.define();

/** Stands for the lines that are folded. */
class Folded extends WidgetType {
  toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button');
    button.textContent = '…';
    button.className = 'cm-folded';
    button.title = 'Show what is folded';
    button.setAttribute('aria-label', button.title);
    button.addEventListener('click', () => {
      const found = foldAt(view.state, view.posAtDOM(button));
      if (found !== undefined) view.dispatch({ effects: unfold.of(found) });
    });
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const folded = Decoration.replace({ widget: new Folded() });

const folds = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, { effects }) => {
    let next = set;
    for (const effect of effects) {
      if (effect.is(fold)) next = next.update({ add: [folded.range(effect.value.from, effect.value.to)], sort: true });
      if (effect.is(unfold)) {
        const { from } = effect.value;
        next = next.update({ filter: (start) => start !== from });
      }
      if (effect.is(unfoldAll)) next = Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The fold that begins in the line of a place. */
function foldAt(state: EditorState, place: number): Fold | undefined {
  const { from, to } = state.doc.lineAt(place);
  let found: Fold | undefined;
  state.field(folds).between(from, to, (start, end) => {
    if (start >= from) found = { from: start, to: end };
  });
  return found;
}

/** The range between a bracket at the end of the line and the line that closes it, which has the same indentation. */
function foldableAt(doc: Text, place: number): Fold | undefined {
  const line = doc.lineAt(place);
  if (!/[{[]$/.test(line.text)) return undefined;
  const indent = indentOf(line.text);
  let number = line.number;
  for (let lines = doc.iterLines(line.number + 1), next = lines.next(); !next.done; next = lines.next()) {
    number += 1;
    if (indentOf(next.value) > indent) continue;
    const end = doc.line(number);
    return { from: line.to, to: end.from + indent };
  }
  return undefined;
}

function indentOf(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at;
}

function toggleAt(view: EditorView, place: number): boolean {
  const { state } = view;
  const open = foldAt(state, place);
  const range = open ?? foldableAt(state.doc, place);
  if (range === undefined) return false;
  view.dispatch({ effects: open === undefined ? fold.of(range) : unfold.of(range) });
  return true;
}

/** Folds the members of the outermost object or list. */
export function foldMembers(view: EditorView): void {
  const { doc } = view.state;
  const effects: StateEffect<Fold>[] = [];
  for (let place = 0; place < doc.length && effects.length < maxFolds;) {
    const line = doc.lineAt(place);
    const range = line.number === 1 ? undefined : foldableAt(doc, place);
    if (range !== undefined && foldAt(view.state, place) === undefined) effects.push(fold.of(range));
    place = (range?.to ?? line.to) + 1;
  }
  view.dispatch({ effects });
}

const maxFolds = 5000;

/** Nothing is folded. */
export const unfolded = unfoldAll.of(null);

export function unfoldEverything(view: EditorView): void {
  view.dispatch({ effects: unfolded });
}

class FoldMarker extends GutterMarker {
  private readonly isOpen: boolean;

  constructor(isOpen: boolean) {
    super();
    this.isOpen = isOpen;
  }

  override eq(other: FoldMarker): boolean {
    return other.isOpen === this.isOpen;
  }

  override toDOM(): Node {
    return document.createTextNode(this.isOpen ? '▾' : '▸');
  }
}

const openMarker = new FoldMarker(true);
const foldedMarker = new FoldMarker(false);

/** Folding of laid out JSON: by the gutter, and by the keyboard at the cursor. */
export const folding: Extension = [
  folds,
  gutter({
    class: 'cm-folds',
    lineMarker: (view, { from }) => {
      if (foldAt(view.state, from) !== undefined) return foldedMarker;
      return /[{[]$/.test(view.state.doc.lineAt(from).text) ? openMarker : null;
    },
    lineMarkerChange: ({ startState, state }) => !RangeSet.eq([startState.field(folds)], [state.field(folds)]),
    domEventHandlers: {
      click: (view, { from }) => toggleAt(view, from),
    },
  }),
  keymap.of([
    { key: 'Ctrl-Shift-[', mac: 'Cmd-Alt-[', run: (view) => toggleAt(view, view.state.selection.main.head) },
    { key: 'Ctrl-Shift-]', mac: 'Cmd-Alt-]', run: (view) => toggleAt(view, view.state.selection.main.head) },
  ]),
  // A match inside what is folded is shown.
  EditorView.updateListener.of(({ view, state, selectionSet }) => {
    if (!selectionSet) return;
    const { from, to } = state.selection.main;
    if (from === to) return;
    const hidden: Fold[] = [];
    state.field(folds).between(from, to, (start, end) => void hidden.push({ from: start, to: end }));
    if (hidden.length > 0) queueMicrotask(() => view.dispatch({ effects: hidden.map((range) => unfold.of(range)) }));
  }),
];
