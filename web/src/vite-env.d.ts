/** What Vite adds to imports: style sheets, raw text, workers. */
/// <reference types="vite/client" />
