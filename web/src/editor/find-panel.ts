/** The editor's panel for finding and replacing, styled like the other controls of the page. */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  search,
  setSearchQuery,
} from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { type Command, type EditorView, type Panel, runScopeHandlers, type ViewUpdate } from '@codemirror/view';

/** The count stops here; users do not step through more. */
const maxCounted = 1_000;

export const findPanel: Extension = search({ top: true, createPanel });

function createPanel(view: EditorView): Panel {
  const run = (command: Command) => () => {
    command(view);
    announceCount();
  };
  const look = () => {
    const query = new SearchQuery({ search: find.value, replace: replacement.value, caseSensitive: cases.checked });
    if (!query.eq(getSearchQuery(view.state))) view.dispatch({ effects: setSearchQuery.of(query) });
    announceCount();
  };
  const { search: text, replace, caseSensitive } = getSearchQuery(view.state);
  const find = field('Find', text, look);
  find.setAttribute('main-field', 'true');
  const replacement = field('Replace with', replace, look);
  const cases = make('input', { type: 'checkbox', checked: caseSensitive, onchange: look });
  const count = make('span', { className: 'find-count' });
  count.setAttribute('role', 'status');

  function announceCount(): void {
    count.textContent = countIn(view);
  }

  const dom = make('div', { className: 'find-panel' }, [
    make('div', { className: 'find-row' }, [
      find,
      iconButton('↑', 'Previous', run(findPrevious)),
      iconButton('↓', 'Next', run(findNext)),
      iconButton('✕', 'Close', () => closeSearchPanel(view)),
    ]),
    make('div', { className: 'find-row' }, [
      replacement,
      button('Replace', run(replaceNext)),
      button('All', run(replaceAll), 'Replace all'),
    ]),
    make('div', { className: 'find-row' }, [make('label', { className: 'find-case' }, [cases, 'Match case']), count]),
  ]);
  dom.onkeydown = (event) => {
    if (runScopeHandlers(view, event, 'search-panel')) event.preventDefault();
    else if (event.key === 'Enter' && event.target === find) {
      event.preventDefault();
      run(event.shiftKey ? findPrevious : findNext)();
    } else if (event.key === 'Enter' && event.target === replacement) {
      event.preventDefault();
      run(replaceNext)();
    }
  };
  return {
    dom,
    top: true,
    mount() {
      find.select();
      announceCount();
    },
    update(update: ViewUpdate) {
      const requested = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)));
      if (requested) takeQuery(getSearchQuery(update.state));
      if (requested || update.docChanged || update.selectionSet) announceCount();
    },
  };

  /** The user searches for the selection. */
  function takeQuery(query: SearchQuery): void {
    if (find.value !== query.search) find.value = query.search;
    if (replacement.value !== query.replace) replacement.value = query.replace;
    cases.checked = query.caseSensitive;
  }
}

/** `2 of 7`, `7 found`, `Nothing found`. */
function countIn({ state }: EditorView): string {
  const query = getSearchQuery(state);
  if (!query.valid) return '';
  const { from, to } = state.selection.main;
  const cursor = query.getCursor(state);
  let [all, current] = [0, 0];
  for (let next = cursor.next(); !next.done && all < maxCounted; next = cursor.next()) {
    all += 1;
    if (next.value.from === from && next.value.to === to) current = all;
  }
  if (all === 0) return 'Nothing found';
  const sum = all === maxCounted ? `${maxCounted} or more` : String(all);
  return current > 0 ? `${current} of ${sum}` : `${sum} found`;
}

function field(label: string, value: string, onInput: () => void): HTMLInputElement {
  const element = make('input', { className: 'input compact', type: 'text', placeholder: label, value });
  element.setAttribute('aria-label', label);
  element.oninput = onInput;
  return element;
}

function button(title: string, act: () => void, label = title): HTMLButtonElement {
  const element = make('button', { type: 'button', className: 'button compact', onclick: act }, [title]);
  element.setAttribute('aria-label', label);
  return element;
}

function iconButton(sign: string, label: string, act: () => void): HTMLButtonElement {
  const element = button(sign, act, label);
  element.classList.add('icon');
  return element;
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
