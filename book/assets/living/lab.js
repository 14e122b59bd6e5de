/* One task, one scheme, one length: how it was learned, what every seed answers, and where a head looks. */
"use strict";
(() => {
  const { range, clamp, fixed, set, svg, put, path, places, sequential, sign, grip } = living;
  const LENGTHS = [24, 48, 96];
  /* The runs of chapter 11, in per cent, a letter of DIGITS for each number; written by book/_tools/pack_lab.py. */
  const RUNS = {"digits":"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&()*+,-./:;=>?@[]^_{|}~ÀÁÂÃÄÅÆÇÈÉÊË","schemes":["none","sinusoidal","sinusoidal, offset","sinusoidal, gaps","learned","learned, offset","RoPE","RoPE, half","RoPE, gaps","T5","ALiBi","FIRE","forgetting","CoPE","RoPE, interpolated","RoPE, NTK","RoPE, by parts"],"texts":{"ago":["ahfagdcdahcbhdfhhhceeefh",23],"distance":["ipniglMlihcbplfppMkemefh",23],"ago-unmasked":["ahfagdcdahcbhdfhhhceeefh",23],"majority":["abbaababababbbbbbbaaaabb",23],"flip-flop":["w1i1i1i1i1i1i0i0i0i0i1r1",22],"count":["ipniglclihcbplfpppkemefh",23],"copy":["uPEjhFrCBNDJ|uPEjhFrCBND",23],"characters":["x *k* such that \"i <= k ",23],"copy-repeats":["adbacdcdadcb|adbacdcdadc",23]},"steps":{"ago":250,"distance":250,"ago-unmasked":250,"majority":100,"flip-flop":350,"count":500,"copy":800,"characters":300,"copy-repeats":400},"rows":{"ago":["qqqrrllmmlhiiiiksuvwwwyxx00000010131/301333011114","ËÇËËÊ#V%ZZEAGCDjtBW_ÆÉËËË000002600001a0000f$20000","Ç}ÊÉÇÄ.ÅÄ~=T[;,iruBU?ÁÆÇÈ00000240000000000c:60000","tusuulllllhihhiiruwwwyyzA00000000022*600384110003","ABAxzpoooojijijkrtvzEGKML00000000000Â100111000004","rrrqrmmlmmiijiikstvwxwyxx00000000000_102222000017","ËËËËËËÊÉÉÊXVXTYiPÈËËËËËËË000000000000000000Ë00000","ËËËËËÇÆ|Æ}Â})}-rÃËËËËËËËË000000000000000000Ë00000","vwuuvkijjjgggggitwyxxyyzz0361510000012aBca6320000","ËËËËËËËÈËÊÉÉ?ÈÈv.ÄÊËËËËËË320212314221442256C15523","vvwvwsrsstqpppqktwxzzzABB00000010011Å001000000010","FIyHAxvswupmoooktvyADEGHH0000000000000040000223]4","AzBACzyzAAywyAAksuwyABDEE00000000000000d1120233+3","ËËËËËËËËËËËËËËËiH/ÇËËËËËË000000000000000001È00000","ËËËËËddddddddde","ËËËËËËËËËËÂ}|{Â","ËËËËËËÊÊËÇ)!Z(K"],"distance":["MMLMMyyyxzpqqpquCFKMRUW!!401410z0400700000z420200",":/?-.JJMIIyyzwxuDKT!)>[|À00000000000000000Ë000000","IJLHLxyyyzqqqprtCGKLQTSXY000000@0000000000k000000","MPMOKyyyzvprrrqtCIKOQSXYY00000070000000000Ã000000","R!)V%AEGCFswwtvtCEINS!)/;00000001h0]0000000000000","JLIMMxzxAzqppqptDFJLPSSYZ000000T0000000000I000000","ËÊÊÊÉÁÃ]Ã~WXQXTw&?ÀÅÈÉÊÊË00000000000000000Ë000000","{?À_[$X*%ZIGLGGw$,?]|ÁÂÃÃ00000000000000000Ë000000","KLONMyyDABrqurruIMMPSSVVX01000132000500100b0041)0","ÈÃÉÉÈ_][Â]Z!T^Wx$?~ÄÇÉÉÊÉ000221b43e221a002420y130",",;?>>(+;-.#$-))uKSY#*/>]^000020J0000000000L100000","?>@}[OORSRABCCEuHZ.@_~ÀÂÃ00000010000000000{732101","^^}{_@?{][;;]@>uDN(/[}ÀÂÂ00000010000000000Å102001","}_ÄÅ@@=|^*$T(ZStO#;]}ÁÄÄÄ0000000000000000000000Ë0","ËÊÊÊÉprrrrkpnop","ËÊÊÊÉÂÀÄ|ÂYTUUV","ËÊÊÊÉWU(X&KEOHO"],"ago-unmasked":["nnnnokkkkkihhhhhlpqqqrsrr00000010001Å000000100000","Ê~ËÊÈ!MWVVEuzuygmtH+~ÆÉÊÊ00000236101612001eTb0000","","","nmnonkjkkkihihhfloqrrrtss02A00615011014e1111122g1","","ËËËËËËËËËË]|=À[gv)ÇËËËËËË000000000000500000Æ00000","","","","nonoolllllkkkjjglopqqrsrr02000070026Z200122522201","roononkkjkjhhhhhmoqrrrttt30135151305H121111666610","","","ËËËËËdddddddddd","ËËËËËËËÊËËÆÂ;ÄÅ","ËËËËË?=)$#pppnn"],"majority":["ËËËËËËËÊËËËÉÇËÉ-ÄÈËËËËËËË482348484848644322112254","ËËËËËÉÊÊÈÊÅÄ~{Ä:~ÈÉÊËËËËË2531172a2a17655555222275","ËËËËËÊÊËËÊÉÅÈÉÆ-ÁÈÉÊÊËËËË372337494a48643322223343","ËËËËËËËÊÊËÉÉÇÈÊ:ÂÇÉÊÊËËËË345872368564434333452352","ËËËËËËËËËËÉÇÊÊÉ=ÆÉÉËËËËËË365226262626666555222266","ËËËËËËËËÊËÉÉÊÈÈ=ÈÊÊÊËËËËË275127272727766555111166","ËËËËËÈÈÈÉÉ|~ÂÁÂ,ÃÈÊËËËËËË500120512021232112blja35","ËËËËËËÊÊËÊÊÄÇÊÅ-ÅÈÊÊËËËËË3b53252g5524696311014421","ËËËËËÊËËËËÉÉËËÊ-ÇÉÊËÊËËËË721642la41311000104734c5","ÊÇÉÊÈÆÂÆÆÆÀ{ÃÁÂ=ÂÃÄÈÉÊÊÊÊ45122861z222023313951301","ËËËËËÊÉÉÊÊÅÄÄÆÅ;ÂÈÊÊËËËËË0000000001012334572222rB","ËËËËËËËËËËÈÊËËÉ&ÇÊËËËËËËË41176272728222222289ab22","ËËËËËËËÊËËÈËÇËÉ-ÄÇÊÊËËËËË392239292929754332111165","ËËËËËÈÈÈÈÈÄÁÃÄÃ.ÆÉÊÊËËËËË24336102224535998e823003","ËËËËËËËËËÊÊÈÉÊÈ","ËËËËËÊÊÉÊÊÃÂÃÆÆ","ËËËËËËËËËÊÊÉÉÊÇ"],"flip-flop":["~}}_{?=;;**)*&#&?^^{|{ÀÂÂ0Á0702010000000000000000","ÃÈÈÅÄ;/=:-(&$$#Y@{~ÃÅÇÉÊÊÁ55000000000000000000000","|?~}{+$?]-&Y)-&!?[]^{|~ÀÀ4U3331212121222323111040","Ä_Ã|Å:+==>()%+($@_^{~ÁÄÆÅ3[8020101020200000000000","~~ÁÁÁ:.^:[*!-!*%?_{}ÀÁÃÅÅ1Â7100000000000000000000","]]]À{%%$_-Z!X/&)?[^{{}}À~0?c040301010000000000000","ËÊ|ÁËÃÁ;]};-%..$[~ÁÂÄÆÆÇÈË00000000000000000000000","ÇÈÈÆÆ;[_?](&,)-Z]~ÁÃÅÆÈÉÉ&06020106020105040104000","ÄÆÈËÄ==;Ç-(Y$@#V@}~ÃÄÆÈÈÈ2/0602150111030100001000","}]ÆÂ_;>=[*(&#,Z#?{_}ÁÀÃÄÄ0Ë0000000000000000000000","Æ|Ë|À~=É;:/.Å:&$?|__~ÁÃÅÅ0Ë0000000000000000000000","Ë|Ê;ÊÊ?Ã&ÂÅ:=!?(?_|~~ÂÃÅÅf;0000000000000001020330","ËÉÁÉÉËÈ?ÃÄËÃ/}~(@{ÁÁÄÆÈÉÉ0Ë0000000000000000000000","ËËËËËÂÄËÆÂ/>À[:%{ÅÇÈÊËËËË0Ë0000000000000000000000","ËÊ|ÁË#!%*+QSR)R","ËÊ|ÁËÉÄ>]É_>*:[","ËÊ|ÁËÉÆ>[Ë^*++Ä"],"count":["XV%YWIIMIIBCAzAnDKNRUWYZ!01e10011132y319322115183","","","","","","À{}~|&YV%&LDCFGuPZ%+/?^_{000000000000001112359kst","","","",")(Z&$PRSONIGJFEsGMORUX!%&00000w0w00000A0000000000","","","","À{}~|GyyBBzvvwv","À{}~|RMKQQFywAz","À{}~|GAADDCwvxw"],"copy":["kjkija9a99545455hprtuvvxv000000000000Ë00000000000","","","","","kljlj9a9aa554555hpqtvwxxx000000000000Ë00000000000","ËÈDFÊb75a3011115hqvM(=@^^00000000000Ë000000000000","","!SX#YBuzDAfefgf6oyHQY$)**00011201112Ã000000000000","","","","","","ËÈDFÊjmijf67886","ËÈDFÊBj7bh12131","ËÈDFÊÇÁjjÃ#O66V"],"characters":["KKKKJEFEFEDECDCgrtuvwxxyz101700100G00B00000000090","KLLLLDEDFDCBBBAfqtuwwxyzz003250100w01O01100001010","JIJIJEEDEECDCCCfqtuuvvwxx00J0L0011001001000000000","JKKKKEEEFECCBDCfqtvvwwxyx0090q00000000000C000o000","KKKKKFFEFECDCCCgrtvwwxxyz00404001900000000.045000","KKJJJGFEDDEDCDCgrtvuwwxyy02101200402000020232:202","OPOPOIIIJICCCECgruwyzBCDE0000000000000000000004Æ0","LNMNMHGGGGEGEEEgruvxyzABC003000000400000v00000!00","MLMMLGGGHFDDEECgrtvwxyyzz00c02010610000000045Z150","NLOPOIGILIGFFKGfrtwxyABCC00000000000000000001Ê000","MMMNMHIIIHGIHHFgruvxxzzAB60e38160I302302000031020","RRRRQMMMMMKKJKKgsuyABDEGG00000000000000000002Å022","QQQQPMMMMLMMLMLgrtwyzCCEE0000000000000000000000Ë0","PQOOPKLKJLKJHGKgrtwyzCCDE0000000000000000000000Ë0","OPOPOGGGGHBBBBC","OPOPOKJJKKEFFHF","OPOPOJKIJJHGEHG"],"copy-repeats":["%W#$UOKNNHEBDEABPTUX!(,.;000000000000Ë00000000000","","","","","($&#!NOMMMEEECCBOSUZ&*:>>000000000000Ë00000000000","~VZZ(tEtBsosqtqCQUY&-:?[]000000000000Ë00000000000","","::>=.XY!!XLLNNLEU!*.=?]^_000000001005Ã00000000100","","","","","","~VZZ(VKIPMECzEC","~VZZ(wGvGuqvqts","~VZZ(,KMPNJBBFB"]}};
  const { digits: DIGITS, schemes: SCHEMES, texts: TEXTS, steps: STEPS, rows: ROWS } = RUNS;
  const TASKS = Object.keys(TEXTS);
  const row = ({ task, scheme }) => ROWS[task][SCHEMES.indexOf(scheme)];
  const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;
  const spread = (seeds) => `${fixed(mean(seeds))}, from ${fixed(Math.min(...seeds))} to ${fixed(Math.max(...seeds))}`;

  living.add("lab", {
    label: "Living figure: the runs of this chapter, one task and one scheme at a time",
    start: { task: "ago", scheme: "RoPE", length: 96 },
    limit(state) {
      const nearest = LENGTHS.reduce((a, b) => (Math.abs(b - state.length) < Math.abs(a - state.length) ? b : a));
      return { ...state, length: nearest, scheme: row(state) ? state.scheme : "none" };
    },
    height: [290, 290],
    style: `
      .lab .seed { opacity: 0.6 }
      .lab .curve { stroke-width: 2 }
      .lab .learned { stroke: var(--key) }
      .lab .knob { fill: var(--query); stroke: var(--paper); stroke-width: 2 }
      .lab .asked { fill: none; stroke: var(--key); stroke-width: 2.5 }`,
    /* right: for each length the share of right answers of each seed. curve: their mean while they were trained.
       head: the weights of one head, empty where the model was trained as another scheme. */
    values(state) {
      const numbers = [...row(state)].map((digit) => DIGITS.indexOf(digit) / 100);
      return {
        right: LENGTHS.map((_, n) => numbers.slice(5 * n, 5 * n + 5)),
        curve: numbers.slice(15, 25),
        head: numbers.slice(25),
      };
    },
    says({ task, scheme, length }, { right }) {
      const seeds = right[LENGTHS.indexOf(length)];
      return `${task}, ${scheme}, at ${length} tokens: share of right answers ${spread(seeds)} in five runs.`;
    },
    build(view) {
      const { top, quiet } = view;
      const start = { "text-anchor": "start" };
      const title = view.words("", start);
      const axes = view.draw("path", { class: "quiet-line line" });
      const levels = [0, 0.5, 1].map((share) => [share, quiet(share, { "text-anchor": "end" })]);
      const [left, steps, under] = [quiet("right, while it trains", start), quiet("", { "text-anchor": "end" }), quiet("0 steps", start)];
      const read = quiet("by length, a dot a run", start);
      const ticks = LENGTHS.map((length) => quiet(length));
      const learned = view.draw("path", { class: "learned curve line" });
      const means = view.draw("path", { class: "curve line" });
      const seeds = range(15).map(() => view.draw("circle", { class: "seed query", r: 4.5 }));
      const hold = view.draw("g", {},
        svg("rect", { class: "touch", x: -22, y: -10, width: 44, height: 166 }),
        svg("path", { class: "quiet-line line", d: "M0 0V120" }),
        svg("circle", { class: "ring", r: 14, cy: 120 }), svg("circle", { class: "knob", r: 9, cy: 120 }));
      const head = quiet("", start);
      const cells = range(24).map(() => top.appendChild(sign.cell()));
      const asked = view.draw("rect", { class: "asked" });

      const scale = places(2);
      const move = (n) => view.change({ length: LENGTHS[clamp(n, 0, 2)] });
      const now = () => LENGTHS.indexOf(view.state.length);
      grip(hold, {
        label: "The length of the texts",
        pan: "y",
        at: (x) => move(Math.round((x - scale.x) / scale.step)),
        by: (dx, dy) => move(now() + dx + dy),
        now: () => ({ value: view.state.length, min: 24, max: 96, text: `${view.state.length} tokens` }),
      });
      const options = (names) => names.map((name) => [name, name]);
      view.select({ name: "task", label: "task", options: options(TASKS) });
      view.select({ name: "scheme", label: "scheme", options: options(SCHEMES) });

      return ({ task, scheme, length }, { right, curve, head: weights }) => {
        const { width } = view;
        const [x0, y0, h] = [30, 56, 120];
        const half = width / 2 - x0 - 12;
        const x1 = width / 2 + 24;
        const y = (share) => y0 + h * (1 - share);
        const pitch = (width - x1 - 16) / 3;
        const { at } = scale.span(x1 + pitch / 2 + 6, width - 10 - pitch / 2);
        const chosen = right[now()];
        put(title, 0, 12, { text: `right answers at ${length} tokens: ${spread(chosen)}` });
        set(axes, { d: `M${x0} ${y0}V${y0 + h}H${x0 + half}M${x1} ${y0}V${y0 + h}H${width - 8}` });
        for (const [share, text] of levels) put(text, x0 - 6, y(share));
        put(left, x0, 38);
        put(read, x1, 38);
        put(under, x0, y0 + h + 18);
        put(steps, x0 + half, y0 + h + 18, { text: STEPS[task] });
        ticks.forEach((tick, n) => put(tick, at(n), y0 + h + 22));
        const line = path(curve.map((share, n) => [x0 + (half * (n + 1)) / curve.length, y(share)]));
        set(learned, { d: curve.length ? line : "M0 0" });
        set(means, { d: path(right.map((each, n) => [at(n), y(mean(each))])) });
        seeds.forEach((dot, n) => {
          const [length, seed] = [Math.floor(n / 5), n % 5];
          put(dot, at(length) + 5 * (seed - 2), y(right[length][seed]));
        });
        put(hold, at(now()), y0);
        const looks = "where its sharpest head looks, from the framed token";
        put(head, 0, y0 + h + 56, { text: weights.length ? looks : "a way to read RoPE: the heads are those of RoPE" });
        const side = Math.min(width / 24, 28);
        const [text, query] = TEXTS[task];
        cells.forEach((cell, n) => {
          cell.size(side - 1, 28).show(sequential(weights[n] ?? 0), text[n]);
          put(cell, (n + 0.5) * side, y0 + h + 84);
        });
        set(asked, { x: query * side, y: y0 + h + 69, width: side - 0.5, height: 30 });
      };
    },
  });
})();
