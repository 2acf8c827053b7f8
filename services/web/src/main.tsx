import { render } from "preact";

import { App } from "./app";
import { keepTime } from "./clock/server";
import "@sabaki/shudan/css/goban.css";
import "./style/base.css";
import "./style/board.css";
import "./style/game.css";
import "./style/pages.css";

keepTime();
render(<App />, document.getElementById("app") as HTMLElement);
