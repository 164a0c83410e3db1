/** How Markdown becomes HTML that the content security policy of the service accepts. */
import type { MarkdownOptions } from 'vitepress';

type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number];
type Configure = NonNullable<MarkdownOptions['config']>;

/** Colors of code by classes (`code-token-string`): the policy permits no `style` attributes. */
export const classesInsteadOfStyles: Transformer = {
  name: 'classes-instead-of-styles',
  pre: (node) => {
    delete node.properties.style;
  },
  span(node) {
    const [, name] = /var\(--code-([\w-]+)\)/.exec(String(node.properties.style ?? '')) ?? [];
    delete node.properties.style;
    if (name) this.addClassToHast(node, `code-${name}`);
  },
};

/** `![…](pictures/live-light.png)` shows `live-dark.png` in the dark theme. */
export const pictureForEachTheme: Configure = (markdown) => {
  const standard = markdown.renderer.rules.image!;
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]!;
    const source = token.attrGet('src') ?? '';
    token.attrSet('loading', 'lazy');
    if (!source.endsWith('-light.png')) return standard(tokens, index, options, env, self);
    const shown = (theme: 'light' | 'dark') => {
      token.attrSet('src', source.replace(/-light\.png$/, `-${theme}.png`));
      token.attrSet('class', `only-${theme}`);
      return standard(tokens, index, options, env, self);
    };
    return shown('light') + shown('dark');
  };
};
