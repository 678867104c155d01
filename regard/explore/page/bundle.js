/* sources bf1720382f8fa6b3bddf3bf787eb4cba */
/*!
# Libraries in this folder

Made by `python tools/vendor.py`, from the packages of these names.

## d3-array 3.2.5 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-color 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-format 3.1.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-interpolate 3.0.2 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-path 3.1.1 (ISC)

```text
Copyright 2015-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-scale 4.0.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-shape 3.2.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time-format 4.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## htm 3.1.1 (Apache-2.0)

```text
Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright 2018 Google Inc.

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.
```

## internmap 2.0.3 (ISC)

```text
Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## preact 11.2.0 (MIT)

```text
The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
```
*/
var V,Wr,Bl,Pt,Gn,Qe,Br,Ge,Hr,ts,Jn,Hl,_e=Symbol.for("pv"),Ze={},tn=[],Ul=/^m(i|n|o|s|text|space)$/,es=Array.isArray,ns=tn.slice,Ut=Object.assign;function Ht(t){t&&t.parentNode&&t.remove()}function Kl(t,e,n){var s,r,o,a={},i=arguments.length;for(o in e)o=="key"?s=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:a[o]=e[o];return i>2&&(a.children=i>3?ns.call(arguments,2):n),be(t,a,s,r,null)}function be(t,e,n,s,r){var o={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:_e,__v:r||++Wr,__i:-1,__u:0};return!r&&V.vnode&&V.vnode(o),o}function en(t){return t.children}function Je(t,e){this.props=t,this.context=e,this.__g=0}function Lt(t,e){if(e==null)return t.__&&Lt(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Lt(t)}function Vl(t){var e,n=t.__v,s=n.__e,r=[],o=[],a=t.__P;a&&((e=Ut({constructor:_e},n)).__v=n.__v+1,V.vnode&&V.vnode(e),ss(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,r,s||Lt(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,Jr(r,e,o),n.__=n.__e=null,e.__e!=s&&Ur(e))}function Ur(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),Ur(t)}function Tr(t){(8&t.__g||(t.__g|=8,Pt.push(t),Qe++))&&Gn==V.debounceRendering||((Gn=V.debounceRendering)||queueMicrotask)(Kr)}function Kr(){try{for(var t,e=1;Pt.length;)Pt.length>e&&Pt.sort(Br),t=Pt.shift(),e=Pt.length,8&t.__g&&Vl(t)}finally{(Qe=Pt.length)&&(Gn||queueMicrotask)(Kr)}}function Vr(t,e,n,s,r,o,a,i,l,c,p){var u,h,m,f,g,$,y=s.__k||tn,w=e.length;for(l=Xl(n,e,y,l,w),u=0;u<w;u++)(m=n.__k[u])!=null&&(h=~m.__i&&y[m.__i]||Ze,m.__i=u,$=ss(t,m,h,r,o,a,i,l,c,p),f=m.__e,(h.ref!=m.ref||8&h.__u)&&(h.ref&&rs(h.ref,null,m,h),m.ref&&p.push(m.ref,m.__c||f,m)),g=g||f,4&m.__u?(l=Xr(m,l,t,!h.__v),h.__e&&(h.__e=null)):typeof m.type=="function"&&$!==void 0?l=$:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=g,l}function Xl(t,e,n,s,r){var o,a,i,l,c,p,u,h,m,f=n.length,g=f,$=0,y=0,w=t.__k=Array(r);for(o=0;o<r;o++)(a=e[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=w[o]=be(null,a):es(a)?a=w[o]=be(en,{children:a}):a.constructor===_e&&a.__b?a=w[o]=be(a.type,a.props,a.key,a.ref,a.__v):w[o]=a,l=o+$,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=Gl(a,n,l,g))&&(g--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?$--:c==l+1?$++:c!=l&&(c>l?$--:$++,y=1)):(~c||(r>f?$--:r<f&&$++),typeof a.type!="function"&&(a.__u|=4))):w[o]=null;if(y){for(p=[],u=[],o=0;o<r;o++)if((a=w[o])&&16&a.__u){for($=0,h=p.length;$<h;)p[m=$+h>>1]<a.__i?$=m+1:h=m;p[$]=a.__i,u[o]=$+1}for($=p.length;o--;)u[o]&&(u[o]==$?$--:w[o].__u|=4)}if(g)for(o=0;o<f;o++)!(i=n[o])||2&i.__u||(i.__e==s&&(s=Lt(i)),os(i,i));return s}function Xr(t,e,n,s){var r,o,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)r[o]&&(r[o].__=t,e=Xr(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=Lt(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function Gl(t,e,n,s){var r,o=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&o==null||l&&o==i.key&&a==i.type)return n;if(s>(l?1:0)){for(r=n-1;r>=0;r--)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r;for(r=n+1;r<e.length;r++)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r}return-1}function Er(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Xe(t,e,n,s,r){var o,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||Er(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||Er(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=Jn[e]||(Jn[e]=Jl(e)),(t.__a||(t.__a={}))[e]=ts,o=e!=(e=e.replace(Hr,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,o):t.removeEventListener(e,a,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Jl(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[Ge]==null)e[Ge]=ts++;else if(e[Ge]<this.__a[t])return;return n(V.event?V.event(e):e)}}}function ss(t,e,n,s,r,o,a,i,l,c){var p,u,h,m,f,g,$,y,w,b,x,k,O,M,P,N,v,E,C=e.type;if(e.constructor!==_e)return null;128&n.__u&&(l=32&n.__u,p=n.__c.__z)&&(e.__u|=l,u=o=[],p.nodeType==8?i=Ye(p,o):o.push(p),i=o[0]||i),(p=V.__b)&&p(e);t:if(typeof C=="function"){h=a.length;try{if(y=e.props,w=(p=C.prototype)&&p.render,b=(p=C.contextType)&&s[p.__c],x=p?b?b.props.value:p.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(w?e.__c=m=new C(y,x):(e.__c=m=new Je(y,x),m.constructor=C,m.render=Ql),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),w&&(m.__s||(m.__s=m.state),C.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Ut({},m.__s)),Ut(m.__s,C.getDerivedStateFromProps(y,m.__s)))),f=m.props,g=m.state,m.__v=e,n.__c){if(y!==f&&w&&!C.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(y,x),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(y,m.__s,x)===!1){e.__v!=n.__v&&(m.props=y,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(z){z&&(z.__=e)}),tn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Lt(n);break t}m.componentWillUpdate&&m.componentWillUpdate(y,m.__s,x),w&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,g,$)})}else w&&!C.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),w&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=x,m.props=y,m.__P=t,m.__g&=-5,k=V.__r,O=w?25:0;do m.__g&=-9,k&&k(e),p=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++O<25);w&&(tn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Ut({},s,m.getChildContext())),w&&n.__c&&m.getSnapshotBeforeUpdate&&($=m.getSnapshotBeforeUpdate(f,g)),M=p&&p.type===en&&p.key==null?p.props.children:p,y.__P&&(p=i,r=(t=y.__P).namespaceURI,l=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(z){z&&os(z,z)}),n.__k=null),i=n.__k?Lt(n,0):null),i=Vr(t,es(M)?M:[M],e,n,s,r,o,a,i,l,c),y.__P&&(e.__e=null,i=p),e.__u&=-161,u&&u.some(Ht),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(z){if(a.length=h,e.__v=null,l||o)if(z&&z.then){if(e.__u|=128|l,o){for(~(v=o.indexOf(i||void 0))||(v=o.length);(E=o[v-1])&&E.nodeType==8;)v--;for(;v<o.length;v++)if(E=o[v])if(o[v]=null,P){if(E==N)break}else{if(E.nodeType!=8)break;E.data.startsWith("$s")&&(N=Ye(P=E))}}if(!P){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;P=i}(p=Ye(P=e.__c.__z||(e.__c.__z=P)))?(e.__e=P,i=p):e.__e=i,i=i&&i.nextSibling}else o&&o.some(Ht);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),z&&z.then||Gr(e),V.__e(z,e,n)}}else i=e.__e=Yl(n.__e,e,n,s,r,o,a,l,c,t);return(p=V.diffed)&&p(e),i}function Ye(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Gr(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(Gr))}function Jr(t,e,n){for(var s=0;s<n.length;)rs(n[s++],n[s++],n[s++]);V.__c&&V.__c(e,t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){V.__e(o,r.__v)}})}function Yl(t,e,n,s,r,o,a,i,l,c){var p,u,h,m,f,g,$,y,w=n.props||Ze,b=e.props,x=e.type;if(x=="svg"?r="http://www.w3.org/2000/svg":x=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(p=0;p<o.length;p++)if((f=o[p])&&(x?f.localName==x:f.nodeType==3)){t=f,o[p]=null;break}}if(!t){if(y=c.ownerDocument||document,!x)return y.createTextNode(b);t=y.createElementNS(r,x,b.is?b:c),i&&(V.__m&&V.__m(e,o),i=!1),o=null}if(x){if(c=x=="template"&&t.content||t,o=x=="textarea"&&b.defaultValue!=null?null:o&&ns.call(c.childNodes),!i&&o)for(w={},p=0;p<t.attributes.length;p++)w[(f=t.attributes[p]).name]=f.value;for(p in w)f=w[p],p=="dangerouslySetInnerHTML"?h=f:p=="children"||p in b||p=="value"&&"defaultValue"in b||p=="checked"&&"defaultChecked"in b||Xe(t,p,null,f,r);for(p in b)f=b[p],p=="children"?m=f:p=="dangerouslySetInnerHTML"?u=f:p=="value"?g=f:p=="checked"?$=f:i&&typeof f!="function"||w[p]===f||Xe(t,p,f,w[p],r);u?(i||h&&(u.__html==h.__html||u.__html==t.innerHTML)||(t.innerHTML=u.__html),e.__k=[]):(h&&(t.textContent=""),(x=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Ul.test(x))&&(r="http://www.w3.org/1999/xhtml"),Vr(c,es(m)?m:[m],e,n,s,r,o,a,o?o[0]:n.__k&&Lt(n,0),i,l),o&&o.some(Ht)),i&&x!="textarea"||(p="value",x=="progress"&&g==null?t.removeAttribute(p):g==null||g===t[p]&&(x!="progress"||g)||Xe(t,p,g,w[p],r),p="checked",$!=null&&$!=t[p]&&Xe(t,p,$,w[p],r))}else w===b||i&&t.data==b||(t.data=b);return t}function rs(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){V.__e(r,n)}}function os(t,e,n){var s,r,o,a;if(V.unmount&&V.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||rs(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){V.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&os(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(r=Ye(s,o=[]))&&(s==t.__e&&o.some(Ht),Ht(r),Ht(s)),n||Ht(t.__e),t.__e=t.__c=t.__=null}function Ql(t,e,n){return this.constructor(t,n)}function ke(t,e){var n,s,r,o;V.__&&V.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=be(en,{children:[t]}),r=[],o=[],ss(e,e.__k,s||Ze,Ze,e.namespaceURI,s?null:e.firstChild?ns.call(e.childNodes):null,r,s?s.__e:e.firstChild,n,o),Jr(r,e.__k,o),e.__k.props.children=null}V={__e:function(t,e,n,s){for(var r,o,a;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((a=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(t)),r.componentDidCatch&&(r.componentDidCatch(t,s||{}),a=1),a&&8&r.__g)return void(r.__g|=2)}catch(i){t=i}}throw Qe=0,t}},Wr=0,Bl=function(t){return t!=null&&t.constructor===_e},Je.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Ut({},this.state)),typeof t=="function"&&(t=t(Ut({},n),this.props)),t&&(Ut(n,t),this.__v&&(e&&this.__k.push(e),Tr(this)))},Je.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Tr(this))},Je.prototype.render=en,Pt=[],Qe=0,Br=function(t,e){return t.__v.__b-e.__v.__b},Ge=Symbol(),Hr=/(PointerCapture)$|Capture$/i,ts=0,Jn={},Hl=0;var ne,tt,Xn,Or,Yn=Object.is,ve=0,Yr=[],Qn=[],Q=V,Pr=Q.__b,Lr=Q.__r,zr=Q.diffed,Rr=Q.__c,Dr=Q.unmount,qr=Q.__;function nn(t,e){Q.__h&&Q.__h(tt,t,ve||e),ve=0;var n=tt.__H||(tt.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return ve=1,Zl(Zr,t)}function Zl(t,e,n){var s=nn(ne++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):Zr(void 0,e),function(o){var a=(s.__N||s.__)[0],i=s.t(a,o);Yn(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=tt,!tt.__f)){tt.__f=!0;var r=tt.shouldComponentUpdate;tt.shouldComponentUpdate=function(o,a,i){var l=this.__H;if(!l)return!0;var c=!1,p=this.props!=o;if(l.__.some(function(h){h.__N&&(c=!0,Yn(h.__[0],h.__N[0])||(p=!0))}),r){var u=r.call(this,o,a,i);return c?u||p:u}return!c||p}}return s.__}function B(t,e){var n=nn(ne++,3);!Q.__s&&as(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,tt.__H.__h.push(n))}function pt(t,e){var n=nn(ne++,4);!Q.__s&&as(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,tt.__h.push(n))}function q(t){return ve=5,X(function(){return{current:t}},[])}function X(t,e){var n=nn(ne++,7);return as(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Qr(t,e){return ve=8,X(function(){return t},e)}function tc(){var t;do{for(;t=Qn.shift();)try{we(t)}catch(n){Q.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=Yr.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(we),e.__h.some(Zn),e.__h=[]}catch(n){e.__h=[],Q.__e(n,t.__v)}}}while(Qn.length)}Q.__b=function(t){tt=null,Pr&&Pr(t)},Q.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),qr&&qr(t,e)},Q.__r=function(t){Lr&&Lr(t),ne=0;var e=(tt=t.__c).__H;e&&(Xn==tt?tt.__h=[]:(e.__h.some(we),e.__h.some(Zn),ne=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Xn=tt},Q.diffed=function(t){zr&&zr(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&Fr(Yr.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Xn=tt=null},Q.__c=function(t,e){e.some(function(n){try{n.__h.some(we),n.__h=n.__h.filter(function(s){return!s.__||Zn(s)})}catch(s){n.__h=[function(){throw s}]}}),Rr&&Rr(t,e)},Q.unmount=function(t){Dr&&Dr(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,Fr(Qn.push(r))}else we(r)}catch(o){e=o}}),s.__H=void 0,e&&Q.__e(e,s.__v))};var jr=typeof requestAnimationFrame=="function";function ec(t){var e,n=function(){clearTimeout(s),jr&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);jr&&(e=requestAnimationFrame(n))}function Fr(t){t!=1&&Or==Q.requestAnimationFrame||((Or=Q.requestAnimationFrame)||ec)(tc)}function we(t){var e=tt,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),tt=e}function Zn(t){var e=tt;t.__c=t.__(),tt=e}function as(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!Yn(n,t[s])})}function Zr(t,e){return typeof e=="function"?e(t):e}var to=function(t,e,n,s){var r;e[0]=0;for(var o=1;o<e.length;o++){var a=e[o++],i=e[o]?(e[0]|=a?1:2,n[e[o++]]):e[++o];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++o]]=i:a===6?s[1][e[++o]]+=i+"":a?(r=t.apply(i,to(t,i,n,["",null])),s.push(r),i[0]?e[0]|=2:(e[o-2]=0,e[o]=r)):s.push(i)}return s},Ir=new Map;function nc(t){var e=Ir.get(this);return e||(e=new Map,Ir.set(this,e)),(e=to(this,e.get(t)||(e.set(t,e=(function(n){for(var s,r,o=1,a="",i="",l=[0],c=function(h){o===1&&(h||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,h,a):o===3&&(h||a)?(l.push(3,h,a),o=2):o===2&&a==="..."&&h?l.push(4,h,0):o===2&&a&&!h?l.push(5,0,!0,a):o>=5&&((a||!h&&o===5)&&(l.push(o,0,a,r),o=6),h&&(l.push(o,h,0,r),o=6)),a=""},p=0;p<n.length;p++){p&&(o===1&&c(),c(p));for(var u=0;u<n[p].length;u++)s=n[p][u],o===1?s==="<"?(c(),l=[l],o=3):a+=s:o===4?a==="--"&&s===">"?(o=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),o=1):o&&(s==="="?(o=5,r=a,a=""):s==="/"&&(o<5||n[p][u+1]===">")?(c(),o===3&&(l=l[0]),o=l,(l=l[0]).push(2,0,o),o=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),o=2):a+=s),o===3&&a==="!--"&&(o=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var d=nc.bind(Kl);function so(t){return is.has(t)||is.set(t,sc(t)),is.get(t)}var is=new WeakMap;function sc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(r,o)=>{let a=e.get(r?.id);a&&(e.delete(r.id),r.error!==void 0?a.reject(Object.assign(new Error(r.error),{status:r.status})):a.resolve(o?.length?rc(o[0]):r.response))}),(r,o={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(eo());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(eo()))}),t.send({id:c,name:r,request:o})})}var eo=()=>new DOMException("nobody waits for it any more","AbortError"),yt=t=>t?.name==="AbortError";function rc(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),r=e.byteOffset+4+n,o=r%8?e.buffer.slice(r,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:o,offset:r%8?0:r,packed:a}}var sn=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},rn=class extends sn{running=new Map;async send({id:e,name:n,request:s,cancel:r}){if(r)return this.running.get(e)?.abort();let o=new AbortController;this.running.set(e,o);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:o.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){yt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},on=class extends sn{constructor(e,n){super(e),this.answers=new Map(n.map(([s,r,o])=>[no(s,r),o]))}send({id:e,name:n,request:s,cancel:r}){if(r)return;let o=this.answers.get(no(n,s));queueMicrotask(()=>{o===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof o=="string"?this.emit("msg:custom",{id:e},[oc(o).buffer]):this.emit("msg:custom",{id:e,response:o})})}},no=(t,e)=>`${t} ${JSON.stringify(ls(e))}`,ls=t=>Array.isArray(t)?t.map(ls):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,ls(t[e])])):t;function oc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function cs(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function Y(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null});return B(()=>{if(s===null){o(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return o(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>o({response:i,error:null,waiting:!1,of:s}),i=>yt(i)||o(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),r}function bt(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null}),a=q({busy:!1,next:null,here:!0});return B(()=>(a.current.here=!0,()=>a.current.here=!1),[]),B(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let p=await t(e,JSON.parse(c));i.here&&o({response:p,error:null,waiting:i.next!==null,of:c})}catch(p){i.here&&!yt(p)&&o(u=>({...u,error:p.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),r}var ac={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},wt=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],Se=["","6 3","2 3","8 3 2 3","1 3","10 4"],ic=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),an=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,lc=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function cc(t){let e=t.map(s=>ic(s).map(an)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let r=s/255*(e.length-1),o=Math.min(Math.floor(r),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=lc(e[o][a]+(r-o)*(e[o+1][a]-e[o][a]));n[4*s+3]=255}return n}var ps=new Map,Me=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Kt(t){let e=`${Me()} ${t}`;return ps.has(e)||ps.set(e,cc(ac[Me()][t])),ps.get(e)}function ln(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function zt(t,e,n){let s=Kt(e),r=4*ln(t,e,n);return`rgb(${s[r]}, ${s[r+1]}, ${s[r+2]})`}function ro(t,e,n){let s=Kt(e),r=4*ln(t,e,n);return .2126*an(s[r])+.7152*an(s[r+1])+.0722*an(s[r+2])>.2?"#14161d":"#ffffff"}function oo(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}var cn=()=>d`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,io="regard-theme",ao=()=>{try{return localStorage.getItem(io)}catch{return null}};ao()&&lo(ao());function lo(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function pn(){let e=ut()==="dark"?"light":"dark";return d`<button class="quiet" onClick=${()=>{lo(e);try{localStorage.setItem(io,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function ut(){let[t,e]=j(Me);return B(()=>oo(()=>e(Me())),[]),t}function et(){let t=q(null),[e,n]=j(0);return pt(()=>{let s=new ResizeObserver(([r])=>n(Math.floor(r.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function I({title:t,note:e,class:n="",actions:s,children:r}){return d`<section class=${`panel ${n}`}>
    ${(t||s)&&d`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&d`<p class="note">${e}</p>`}
    ${r}
  </section>`}function H({error:t,waiting:e,children:n}){return d`<div class="said" role="status" aria-live="polite">
    ${t?d`<p class="error">${t}</p>`:e?d`<p class="waiting">${n??"computing …"}</p>`:null}
  </div>`}function Rt({place:t,class:e="",noted:n=!0,what:s,children:r}){return t!=="file"?d`<div class=${e||"as-itself"}>${r}</div>`:d`<fieldset class=${`saved-still ${e}`} disabled>${n&&d`<${Vt} place=${t} what=${s} />`}${r}</fieldset>`}var Vt=({place:t,what:e="change it"})=>t==="file"&&d`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,us=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,se=(t,e,n,s)=>Number.isFinite(t)?Math.round(us(t,e,n)):s,Ne=(t,e,n)=>e.includes(t)?t:n,un=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>se(s,e,n)):null,Dt=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;function $n(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function pc(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function qo(t){let e,n,s;t.length!==2?(e=$n,n=(i,l)=>$n(t(i),l),s=(i,l)=>t(i)-l):(e=t===$n||t===pc?t:uc,n=t,s=t);function r(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<0?c=u+1:p=u}while(c<p)}return c}function o(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<=0?c=u+1:p=u}while(c<p)}return c}function a(i,l,c=0,p=i.length){let u=r(i,l,c,p-1);return u>c&&s(i[u-1],l)>-s(i[u],l)?u-1:u}return{left:r,center:a,right:o}}function uc(){return 0}function hc(t){return t===null?NaN:+t}var jo=qo($n),dc=jo.right,fm=jo.left,$m=qo(hc).center,gm=Fo(Io),xm=Fo(mc);function Fo(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:r,width:o,height:a}=e;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:r.length/o))>=0))throw new RangeError("invalid height");if(!o||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=r.slice();return i&&l?(re(i,c,r,o,a),re(i,r,c,o,a),re(i,c,r,o,a),oe(l,r,c,o,a),oe(l,c,r,o,a),oe(l,r,c,o,a)):i?(re(i,r,c,o,a),re(i,c,r,o,a),re(i,r,c,o,a)):l&&(oe(l,r,c,o,a),oe(l,c,r,o,a),oe(l,r,c,o,a)),e}}function re(t,e,n,s,r){for(let o=0,a=s*r;o<a;)t(e,n,o,o+=s,1)}function oe(t,e,n,s,r){for(let o=0,a=s*r;o<s;++o)t(e,n,o,o+a,s)}function mc(t){let e=Io(t);return(n,s,r,o,a)=>{r<<=2,o<<=2,a<<=2,e(n,s,r+0,o+0,a),e(n,s,r+1,o+1,a),e(n,s,r+2,o+2,a),e(n,s,r+3,o+3,a)}}function Io(t){let e=Math.floor(t);if(e===t)return fc(t);let n=t-e,s=2*t+1;return(r,o,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*o[a],p=l*e,u=p+l;for(let h=a,m=a+p;h<m;h+=l)c+=o[Math.min(i,h)];for(let h=a,m=i;h<=m;h+=l)c+=o[Math.min(i,h+p)],r[h]=(c+n*(o[Math.max(a,h-u)]+o[Math.min(i,h+u)]))/s,c-=o[Math.max(a,h-p)]}}function fc(t){let e=2*t+1;return(n,s,r,o,a)=>{if(!((o-=a)>=r))return;let i=t*s[r],l=a*t;for(let c=r,p=r+l;c<p;c+=a)i+=s[Math.min(o,c)];for(let c=r,p=o;c<=p;c+=a)i+=s[Math.min(o,c+l)],n[c]=i/e,i-=s[Math.max(r,c-l)]}}var $c=Array.prototype,ym=$c.slice,gc=Math.sqrt(50),xc=Math.sqrt(10),yc=Math.sqrt(2);function gn(t,e,n){let s=(e-t)/Math.max(0,n),r=Math.floor(Math.log10(s)),o=s/Math.pow(10,r),a=o>=gc?10:o>=xc?5:o>=yc?2:1,i,l,c;return r<0?(c=Math.pow(10,-r)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,r)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?gn(t,e,n*2):[i,l,c]}function ys(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[r,o,a]=s?gn(e,t,n):gn(t,e,n);if(!(o>=r))return[];let i=o-r+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(o-c)/-a;else for(let c=0;c<i;++c)l[c]=(o-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(r+c)/-a;else for(let c=0;c<i;++c)l[c]=(r+c)*a;return l}function bs(t,e,n){return e=+e,t=+t,n=+n,gn(t,e,n)[2]}function bc(t,e,n){e=+e,t=+t,n=+n;let s=e<t,r=s?bs(e,t,n):bs(t,e,n);return(s?-1:1)*(r<0?1/-r:r)}var bm=wc(Math.random);function wc(t){return function(e,n=0,s=e.length){let r=s-(n=+n);for(;r;){let o=t()*r--|0,a=e[r+n];e[r+n]=e[o+n],e[o+n]=a}return e}}function ue(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function Pe(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function jt(){}var Qt=.7,ce=1/Qt,ie="\\s*([+-]?\\d+)\\s*",Ae="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",_t="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",vc=/^#([0-9a-f]{3,8})$/,_c=new RegExp(`^rgb\\(${ie},${ie},${ie}\\)$`),kc=new RegExp(`^rgb\\(${_t},${_t},${_t}\\)$`),Mc=new RegExp(`^rgba\\(${ie},${ie},${ie},${Ae}\\)$`),Sc=new RegExp(`^rgba\\(${_t},${_t},${_t},${Ae}\\)$`),Nc=new RegExp(`^hsl\\(${Ae},${_t},${_t}\\)$`),Cc=new RegExp(`^hsla\\(${Ae},${_t},${_t},${Ae}\\)$`),co={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};ue(jt,Te,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:po,formatHex:po,formatHex8:Ac,formatHsl:Tc,formatRgb:uo,toString:uo});function po(){return this.rgb().formatHex()}function Ac(){return this.rgb().formatHex8()}function Tc(){return Wo(this).formatHsl()}function uo(){return this.rgb().formatRgb()}function Te(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=vc.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?ho(e):n===3?new ot(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?hn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?hn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=_c.exec(t))?new ot(e[1],e[2],e[3],1):(e=kc.exec(t))?new ot(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=Mc.exec(t))?hn(e[1],e[2],e[3],e[4]):(e=Sc.exec(t))?hn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=Nc.exec(t))?$o(e[1],e[2]/100,e[3]/100,1):(e=Cc.exec(t))?$o(e[1],e[2]/100,e[3]/100,e[4]):co.hasOwnProperty(t)?ho(co[t]):t==="transparent"?new ot(NaN,NaN,NaN,0):null}function ho(t){return new ot(t>>16&255,t>>8&255,t&255,1)}function hn(t,e,n,s){return s<=0&&(t=e=n=NaN),new ot(t,e,n,s)}function As(t){return t instanceof jt||(t=Te(t)),t?(t=t.rgb(),new ot(t.r,t.g,t.b,t.opacity)):new ot}function xn(t,e,n,s){return arguments.length===1?As(t):new ot(t,e,n,s??1)}function ot(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}ue(ot,xn,Pe(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new ot(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new ot(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new ot(Jt(this.r),Jt(this.g),Jt(this.b),yn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:mo,formatHex:mo,formatHex8:Ec,formatRgb:fo,toString:fo}));function mo(){return`#${Gt(this.r)}${Gt(this.g)}${Gt(this.b)}`}function Ec(){return`#${Gt(this.r)}${Gt(this.g)}${Gt(this.b)}${Gt((isNaN(this.opacity)?1:this.opacity)*255)}`}function fo(){let t=yn(this.opacity);return`${t===1?"rgb(":"rgba("}${Jt(this.r)}, ${Jt(this.g)}, ${Jt(this.b)}${t===1?")":`, ${t})`}`}function yn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Jt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Gt(t){return t=Jt(t),(t<16?"0":"")+t.toString(16)}function $o(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new $t(t,e,n,s)}function Wo(t){if(t instanceof $t)return new $t(t.h,t.s,t.l,t.opacity);if(t instanceof jt||(t=Te(t)),!t)return new $t;if(t instanceof $t)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,r=Math.min(e,n,s),o=Math.max(e,n,s),a=NaN,i=o-r,l=(o+r)/2;return i?(e===o?a=(n-s)/i+(n<s)*6:n===o?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?o+r:2-o-r,a*=60):i=l>0&&l<1?0:a,new $t(a,i,l,t.opacity)}function ws(t,e,n,s){return arguments.length===1?Wo(t):new $t(t,e,n,s??1)}function $t(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ue($t,ws,Pe(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new $t(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new $t(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,r=2*n-s;return new ot(hs(t>=240?t-240:t+120,r,s),hs(t,r,s),hs(t<120?t+240:t-120,r,s),this.opacity)},clamp(){return new $t(go(this.h),dn(this.s),dn(this.l),yn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=yn(this.opacity);return`${t===1?"hsl(":"hsla("}${go(this.h)}, ${dn(this.s)*100}%, ${dn(this.l)*100}%${t===1?")":`, ${t})`}`}}));function go(t){return t=(t||0)%360,t<0?t+360:t}function dn(t){return Math.max(0,Math.min(1,t||0))}function hs(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var Bo=Math.PI/180,Ho=180/Math.PI,bn=18,Uo=.96422,Ko=1,Vo=.82521,Xo=4/29,le=6/29,Go=3*le*le,Oc=le*le*le;function Jo(t){if(t instanceof kt)return new kt(t.l,t.a,t.b,t.opacity);if(t instanceof St)return Yo(t);t instanceof ot||(t=As(t));var e=$s(t.r),n=$s(t.g),s=$s(t.b),r=ds((.2225045*e+.7168786*n+.0606169*s)/Ko),o,a;return e===n&&n===s?o=a=r:(o=ds((.4360747*e+.3850649*n+.1430804*s)/Uo),a=ds((.0139322*e+.0971045*n+.7141733*s)/Vo)),new kt(116*r-16,500*(o-r),200*(r-a),t.opacity)}function Pc(t,e,n,s){return arguments.length===1?Jo(t):new kt(t,e,n,s??1)}function kt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}ue(kt,Pc,Pe(jt,{brighter(t){return new kt(this.l+bn*(t??1),this.a,this.b,this.opacity)},darker(t){return new kt(this.l-bn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=Uo*ms(e),t=Ko*ms(t),n=Vo*ms(n),new ot(fs(3.1338561*e-1.6168667*t-.4906146*n),fs(-.9787684*e+1.9161415*t+.033454*n),fs(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function ds(t){return t>Oc?Math.pow(t,1/3):t/Go+Xo}function ms(t){return t>le?t*t*t:Go*(t-Xo)}function fs(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function $s(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function Lc(t){if(t instanceof St)return new St(t.h,t.c,t.l,t.opacity);if(t instanceof kt||(t=Jo(t)),t.a===0&&t.b===0)return new St(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*Ho;return new St(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function vs(t,e,n,s){return arguments.length===1?Lc(t):new St(t,e,n,s??1)}function St(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function Yo(t){if(isNaN(t.h))return new kt(t.l,0,0,t.opacity);var e=t.h*Bo;return new kt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}ue(St,vs,Pe(jt,{brighter(t){return new St(this.h,this.c,this.l+bn*(t??1),this.opacity)},darker(t){return new St(this.h,this.c,this.l-bn*(t??1),this.opacity)},rgb(){return Yo(this).rgb()}}));var Qo=-.14861,Ts=1.78277,Es=-.29227,Sn=-.90649,Ee=1.97294,xo=Ee*Sn,yo=Ee*Ts,bo=Ts*Es-Sn*Qo;function zc(t){if(t instanceof Yt)return new Yt(t.h,t.s,t.l,t.opacity);t instanceof ot||(t=As(t));var e=t.r/255,n=t.g/255,s=t.b/255,r=(bo*s+xo*e-yo*n)/(bo+xo-yo),o=s-r,a=(Ee*(n-r)-Es*o)/Sn,i=Math.sqrt(a*a+o*o)/(Ee*r*(1-r)),l=i?Math.atan2(a,o)*Ho-120:NaN;return new Yt(l<0?l+360:l,i,r,t.opacity)}function _s(t,e,n,s){return arguments.length===1?zc(t):new Yt(t,e,n,s??1)}function Yt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ue(Yt,_s,Pe(jt,{brighter(t){return t=t==null?ce:Math.pow(ce,t),new Yt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Qt:Math.pow(Qt,t),new Yt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*Bo,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),r=Math.sin(t);return new ot(255*(e+n*(Qo*s+Ts*r)),255*(e+n*(Es*s+Sn*r)),255*(e+n*(Ee*s)),this.opacity)}}));function Zo(t,e,n,s,r){var o=t*t,a=o*t;return((1-3*t+3*o-a)*e+(4-6*o+3*a)*n+(1+3*t+3*o-3*a)*s+a*r)/6}function Rc(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),r=t[s],o=t[s+1],a=s>0?t[s-1]:2*r-o,i=s<e-1?t[s+2]:2*o-r;return Zo((n-s/e)*e,a,r,o,i)}}function Dc(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),r=t[(s+e-1)%e],o=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return Zo((n-s/e)*e,r,o,a,i)}}var Nn=t=>()=>t;function ta(t,e){return function(n){return t+n*e}}function qc(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Os(t,e){var n=e-t;return n?ta(t,n>180||n<-180?n-360*Math.round(n/360):n):Nn(isNaN(t)?e:t)}function jc(t){return(t=+t)==1?ht:function(e,n){return n-e?qc(e,n,t):Nn(isNaN(e)?n:e)}}function ht(t,e){var n=e-t;return n?ta(t,n):Nn(isNaN(t)?e:t)}var wo=(function t(e){var n=jc(e);function s(r,o){var a=n((r=xn(r)).r,(o=xn(o)).r),i=n(r.g,o.g),l=n(r.b,o.b),c=ht(r.opacity,o.opacity);return function(p){return r.r=a(p),r.g=i(p),r.b=l(p),r.opacity=c(p),r+""}}return s.gamma=t,s})(1);function ea(t){return function(e){var n=e.length,s=new Array(n),r=new Array(n),o=new Array(n),a,i;for(a=0;a<n;++a)i=xn(e[a]),s[a]=i.r||0,r[a]=i.g||0,o[a]=i.b||0;return s=t(s),r=t(r),o=t(o),i.opacity=1,function(l){return i.r=s(l),i.g=r(l),i.b=o(l),i+""}}}var wm=ea(Rc),vm=ea(Dc);function Fc(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),r;return function(o){for(r=0;r<n;++r)s[r]=t[r]*(1-o)+e[r]*o;return s}}function Ic(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function Wc(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,r=new Array(s),o=new Array(n),a;for(a=0;a<s;++a)r[a]=Ps(t[a],e[a]);for(;a<n;++a)o[a]=e[a];return function(i){for(a=0;a<s;++a)o[a]=r[a](i);return o}}function Bc(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function vt(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Hc(t,e){var n={},s={},r;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(r in e)r in t?n[r]=Ps(t[r],e[r]):s[r]=e[r];return function(o){for(r in n)s[r]=n[r](o);return s}}var ks=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,gs=new RegExp(ks.source,"g");function Uc(t){return function(){return t}}function Kc(t){return function(e){return t(e)+""}}function Vc(t,e){var n=ks.lastIndex=gs.lastIndex=0,s,r,o,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=ks.exec(t))&&(r=gs.exec(e));)(o=r.index)>n&&(o=e.slice(n,o),i[a]?i[a]+=o:i[++a]=o),(s=s[0])===(r=r[0])?i[a]?i[a]+=r:i[++a]=r:(i[++a]=null,l.push({i:a,x:vt(s,r)})),n=gs.lastIndex;return n<e.length&&(o=e.slice(n),i[a]?i[a]+=o:i[++a]=o),i.length<2?l[0]?Kc(l[0].x):Uc(e):(e=l.length,function(c){for(var p=0,u;p<e;++p)i[(u=l[p]).i]=u.x(c);return i.join("")})}function Ps(t,e){var n=typeof e,s;return e==null||n==="boolean"?Nn(e):(n==="number"?vt:n==="string"?(s=Te(e))?(e=s,wo):Vc:e instanceof Te?wo:e instanceof Date?Bc:Ic(e)?Fc:Array.isArray(e)?Wc:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Hc:vt)(t,e)}function Xc(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var vo=180/Math.PI,na={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function sa(t,e,n,s,r,o){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:r,translateY:o,rotate:Math.atan2(e,t)*vo,skewX:Math.atan(l)*vo,scaleX:a,scaleY:i}}var mn;function Gc(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?na:sa(e.a,e.b,e.c,e.d,e.e,e.f)}function Jc(t){return t==null||(mn||(mn=document.createElementNS("http://www.w3.org/2000/svg","g")),mn.setAttribute("transform",t),!(t=mn.transform.baseVal.consolidate()))?na:(t=t.matrix,sa(t.a,t.b,t.c,t.d,t.e,t.f))}function ra(t,e,n,s){function r(c){return c.length?c.pop()+" ":""}function o(c,p,u,h,m,f){if(c!==u||p!==h){var g=m.push("translate(",null,e,null,n);f.push({i:g-4,x:vt(c,u)},{i:g-2,x:vt(p,h)})}else(u||h)&&m.push("translate("+u+e+h+n)}function a(c,p,u,h){c!==p?(c-p>180?p+=360:p-c>180&&(c+=360),h.push({i:u.push(r(u)+"rotate(",null,s)-2,x:vt(c,p)})):p&&u.push(r(u)+"rotate("+p+s)}function i(c,p,u,h){c!==p?h.push({i:u.push(r(u)+"skewX(",null,s)-2,x:vt(c,p)}):p&&u.push(r(u)+"skewX("+p+s)}function l(c,p,u,h,m,f){if(c!==u||p!==h){var g=m.push(r(m)+"scale(",null,",",null,")");f.push({i:g-4,x:vt(c,u)},{i:g-2,x:vt(p,h)})}else(u!==1||h!==1)&&m.push(r(m)+"scale("+u+","+h+")")}return function(c,p){var u=[],h=[];return c=t(c),p=t(p),o(c.translateX,c.translateY,p.translateX,p.translateY,u,h),a(c.rotate,p.rotate,u,h),i(c.skewX,p.skewX,u,h),l(c.scaleX,c.scaleY,p.scaleX,p.scaleY,u,h),c=p=null,function(m){for(var f=-1,g=h.length,$;++f<g;)u[($=h[f]).i]=$.x(m);return u.join("")}}}var _m=ra(Gc,"px, ","px)","deg)"),km=ra(Jc,", ",")",")"),Yc=1e-12;function _o(t){return((t=Math.exp(t))+1/t)/2}function Qc(t){return((t=Math.exp(t))-1/t)/2}function Zc(t){return((t=Math.exp(2*t))-1)/(t+1)}var Mm=(function t(e,n,s){function r(o,a){var i=o[0],l=o[1],c=o[2],p=a[0],u=a[1],h=a[2],m=p-i,f=u-l,g=m*m+f*f,$,y;if(g<Yc)y=Math.log(h/c)/e,$=function(M){return[i+M*m,l+M*f,c*Math.exp(e*M*y)]};else{var w=Math.sqrt(g),b=(h*h-c*c+s*g)/(2*c*n*w),x=(h*h-c*c-s*g)/(2*h*n*w),k=Math.log(Math.sqrt(b*b+1)-b),O=Math.log(Math.sqrt(x*x+1)-x);y=(O-k)/e,$=function(M){var P=M*y,N=_o(k),v=c/(n*w)*(N*Zc(e*P+k)-Qc(k));return[i+v*m,l+v*f,c*N/_o(e*P+k)]}}return $.duration=Math.abs(y)*1e3*e/Math.SQRT2,$}return r.rho=function(o){var a=Math.max(.001,+o),i=a*a,l=i*i;return t(a,i,l)},r})(Math.SQRT2,2,4);function oa(t){return function(e,n){var s=t((e=ws(e)).h,(n=ws(n)).h),r=ht(e.s,n.s),o=ht(e.l,n.l),a=ht(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Sm=oa(Os),Nm=oa(ht);function aa(t){return function(e,n){var s=t((e=vs(e)).h,(n=vs(n)).h),r=ht(e.c,n.c),o=ht(e.l,n.l),a=ht(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Cm=aa(Os),Am=aa(ht);function ia(t){return(function e(n){n=+n;function s(r,o){var a=t((r=_s(r)).h,(o=_s(o)).h),i=ht(r.s,o.s),l=ht(r.l,o.l),c=ht(r.opacity,o.opacity);return function(p){return r.h=a(p),r.s=i(p),r.l=l(Math.pow(p,n)),r.opacity=c(p),r+""}}return s.gamma=e,s})(1)}var Tm=ia(Os),Em=ia(ht);function tp(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function wn(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function pe(t){return t=wn(Math.abs(t)),t?t[1]:NaN}function ep(t,e){return function(n,s){for(var r=n.length,o=[],a=0,i=t[0],l=0;r>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),o.push(n.substring(r-=i,r+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return o.reverse().join(e)}}function np(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var sp=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Oe(t){if(!(e=sp.exec(t)))throw new Error("invalid format: "+t);var e;return new Ls({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Oe.prototype=Ls.prototype;function Ls(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Ls.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function rp(t){t:for(var e=t.length,n=1,s=-1,r;n<e;++n)switch(t[n]){case".":s=r=n;break;case"0":s===0&&(s=n),r=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(r+1):t}var vn;function op(t,e){var n=wn(t,e);if(!n)return vn=void 0,t.toPrecision(e);var s=n[0],r=n[1],o=r-(vn=Math.max(-8,Math.min(8,Math.floor(r/3)))*3)+1,a=s.length;return o===a?s:o>a?s+new Array(o-a+1).join("0"):o>0?s.slice(0,o)+"."+s.slice(o):"0."+new Array(1-o).join("0")+wn(t,Math.max(0,e+o-1))[0]}function ko(t,e){var n=wn(t,e);if(!n)return t+"";var s=n[0],r=n[1];return r<0?"0."+new Array(-r).join("0")+s:s.length>r+1?s.slice(0,r+1)+"."+s.slice(r+1):s+new Array(r-s.length+2).join("0")}var Mo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:tp,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>ko(t*100,e),r:ko,s:op,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function So(t){return t}var No=Array.prototype.map,Co=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function ap(t){var e=t.grouping===void 0||t.thousands===void 0?So:ep(No.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",r=t.decimal===void 0?".":t.decimal+"",o=t.numerals===void 0?So:np(No.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(u,h){u=Oe(u);var m=u.fill,f=u.align,g=u.sign,$=u.symbol,y=u.zero,w=u.width,b=u.comma,x=u.precision,k=u.trim,O=u.type;O==="n"?(b=!0,O="g"):Mo[O]||(x===void 0&&(x=12),k=!0,O="g"),(y||m==="0"&&f==="=")&&(y=!0,m="0",f="=");var M=(h&&h.prefix!==void 0?h.prefix:"")+($==="$"?n:$==="#"&&/[boxX]/.test(O)?"0"+O.toLowerCase():""),P=($==="$"?s:/[%p]/.test(O)?a:"")+(h&&h.suffix!==void 0?h.suffix:""),N=Mo[O],v=/[defgprs%]/.test(O);x=x===void 0?6:/[gprs]/.test(O)?Math.max(1,Math.min(21,x)):Math.max(0,Math.min(20,x));function E(C){var z=M,F=P,T,D,S;if(O==="c")F=N(C)+F,C="";else{C=+C;var _=C<0||1/C<0;if(C=isNaN(C)?l:N(Math.abs(C),x),k&&(C=rp(C)),_&&+C==0&&g!=="+"&&(_=!1),z=(_?g==="("?g:i:g==="-"||g==="("?"":g)+z,F=(O==="s"&&!isNaN(C)&&vn!==void 0?Co[8+vn/3]:"")+F+(_&&g==="("?")":""),v){for(T=-1,D=C.length;++T<D;)if(S=C.charCodeAt(T),48>S||S>57){F=(S===46?r+C.slice(T+1):C.slice(T))+F,C=C.slice(0,T);break}}}b&&!y&&(C=e(C,1/0));var A=z.length+C.length+F.length,R=A<w?new Array(w-A+1).join(m):"";switch(b&&y&&(C=e(R+C,R.length?w-F.length:1/0),R=""),f){case"<":C=z+C+F+R;break;case"=":C=z+R+C+F;break;case"^":C=R.slice(0,A=R.length>>1)+z+C+F+R.slice(A);break;default:C=R+z+C+F;break}return o(C)}return E.toString=function(){return u+""},E}function p(u,h){var m=Math.max(-8,Math.min(8,Math.floor(pe(h)/3)))*3,f=Math.pow(10,-m),g=c((u=Oe(u),u.type="f",u),{suffix:Co[8+m/3]});return function($){return g(f*$)}}return{format:c,formatPrefix:p}}var fn,zs,la;ip({thousands:",",grouping:[3],currency:["$",""]});function ip(t){return fn=ap(t),zs=fn.format,la=fn.formatPrefix,fn}function lp(t){return Math.max(0,-pe(Math.abs(t)))}function cp(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(pe(e)/3)))*3-pe(Math.abs(t)))}function pp(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,pe(e)-pe(t))+1}function ca(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function up(t){return function(){return t}}function hp(t){return+t}var Ao=[0,1];function ae(t){return t}function Ms(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:up(isNaN(e)?NaN:.5)}function dp(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function mp(t,e,n){var s=t[0],r=t[1],o=e[0],a=e[1];return r<s?(s=Ms(r,s),o=n(a,o)):(s=Ms(s,r),o=n(o,a)),function(i){return o(s(i))}}function fp(t,e,n){var s=Math.min(t.length,e.length)-1,r=new Array(s),o=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)r[a]=Ms(t[a],t[a+1]),o[a]=n(e[a],e[a+1]);return function(i){var l=dc(t,i,1,s)-1;return o[l](r[l](i))}}function pa(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function ua(){var t=Ao,e=Ao,n=Ps,s,r,o,a=ae,i,l,c;function p(){var h=Math.min(t.length,e.length);return a!==ae&&(a=dp(t[0],t[h-1])),i=h>2?fp:mp,l=c=null,u}function u(h){return h==null||isNaN(h=+h)?o:(l||(l=i(t.map(s),e,n)))(s(a(h)))}return u.invert=function(h){return a(r((c||(c=i(e,t.map(s),vt)))(h)))},u.domain=function(h){return arguments.length?(t=Array.from(h,hp),p()):t.slice()},u.range=function(h){return arguments.length?(e=Array.from(h),p()):e.slice()},u.rangeRound=function(h){return e=Array.from(h),n=Xc,p()},u.clamp=function(h){return arguments.length?(a=h?!0:ae,p()):a!==ae},u.interpolate=function(h){return arguments.length?(n=h,p()):n},u.unknown=function(h){return arguments.length?(o=h,u):o},function(h,m){return s=h,r=m,p()}}function $p(){return ua()(ae,ae)}function gp(t,e,n,s){var r=bc(t,e,n),o;switch(s=Oe(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(o=cp(r,a))&&(s.precision=o),la(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(o=pp(r,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=o-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(o=lp(r))&&(s.precision=o-(s.type==="%")*2);break}}return zs(s)}function xp(t){var e=t.domain;return t.ticks=function(n){var s=e();return ys(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var r=e();return gp(r[0],r[r.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),r=0,o=s.length-1,a=s[r],i=s[o],l,c,p=10;for(i<a&&(c=a,a=i,i=c,c=r,r=o,o=c);p-- >0;){if(c=bs(a,i,n),c===l)return s[r]=a,s[o]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Le(){var t=$p();return t.copy=function(){return pa(t,Le())},ca.apply(t,arguments),xp(t)}function yp(t,e){t=t.slice();var n=0,s=t.length-1,r=t[n],o=t[s],a;return o<r&&(a=n,n=s,s=a,a=r,r=o,o=a),t[n]=e.floor(r),t[s]=e.ceil(o),t}function To(t){return Math.log(t)}function Eo(t){return Math.exp(t)}function bp(t){return-Math.log(-t)}function wp(t){return-Math.exp(-t)}function vp(t){return isFinite(t)?+("1e"+t):t<0?0:t}function _p(t){return t===10?vp:t===Math.E?Math.exp:e=>Math.pow(t,e)}function kp(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function Oo(t){return(e,n)=>-t(-e,n)}function Mp(t){let e=t(To,Eo),n=e.domain,s=10,r,o;function a(){return r=kp(s),o=_p(s),n()[0]<0?(r=Oo(r),o=Oo(o),t(bp,wp)):t(To,Eo),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],p=l[l.length-1],u=p<c;u&&([c,p]=[p,c]);let h=r(c),m=r(p),f,g,$=i==null?10:+i,y=[];if(!(s%1)&&m-h<$){if(h=Math.floor(h),m=Math.ceil(m),c>0){for(;h<=m;++h)for(f=1;f<s;++f)if(g=h<0?f/o(-h):f*o(h),!(g<c)){if(g>p)break;y.push(g)}}else for(;h<=m;++h)for(f=s-1;f>=1;--f)if(g=h>0?f/o(-h):f*o(h),!(g<c)){if(g>p)break;y.push(g)}y.length*2<$&&(y=ys(c,p,$))}else y=ys(h,m,Math.min(m-h,$)).map(o);return u?y.reverse():y},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Oe(l)).precision==null&&(l.trim=!0),l=zs(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return p=>{let u=p/o(Math.round(r(p)));return u*s<s-.5&&(u*=s),u<=c?l(p):""}},e.nice=()=>n(yp(n(),{floor:i=>o(Math.floor(r(i))),ceil:i=>o(Math.ceil(r(i)))})),e}function Rs(){let t=Mp(ua()).domain([1,10]);return t.copy=()=>pa(t,Rs()).base(t.base()),ca.apply(t,arguments),t}var Ce=Math.PI,Ss=2*Ce,Xt=1e-6,Sp=Ss-Xt;function ha(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function Np(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return ha;let n=10**e;return function(s){this._+=s[0];for(let r=1,o=s.length;r<o;++r)this._+=Math.round(arguments[r]*n)/n+s[r]}}function da(t,e,n,s){return t===n&&e===s}function Cp(t){let e=Math.floor(t);if(!(e<=15))return da;let n=10**e,s=function(r){return Math.round(r*n)};return function(r,o,a,i){return s(r)===s(a)&&s(o)===s(i)}}var Ds=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?ha:Np(t),this._equal=t==null?da:Cp(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,r,o){this._append`C${+t},${+e},${+n},${+s},${this._x1=+r},${this._y1=+o}`}arcTo(t,e,n,s,r){if(t=+t,e=+e,n=+n,s=+s,r=+r,r<0)throw new Error(`negative radius: ${r}`);let o=this._x1,a=this._y1,i=n-t,l=s-e,c=o-t,p=a-e,u=c*c+p*p;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(u>Xt)if(!(Math.abs(p*i-l*c)>Xt)||!r)this._append`L${this._x1=t},${this._y1=e}`;else{let h=n-o,m=s-a,f=i*i+l*l,g=h*h+m*m,$=Math.sqrt(f),y=Math.sqrt(u),w=r*Math.tan((Ce-Math.acos((f+u-g)/(2*$*y)))/2),b=w/y,x=w/$;Math.abs(b-1)>Xt&&this._append`L${t+b*c},${e+b*p}`,this._append`A${r},${r},0,0,${+(p*h>c*m)},${this._x1=t+x*i},${this._y1=e+x*l}`}}arc(t,e,n,s,r,o){if(t=+t,e=+e,n=+n,o=!!o,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,p=1^o,u=o?s-r:r-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Xt||Math.abs(this._y1-c)>Xt)&&this._append`L${l},${c}`,!!n){if(u<0&&(u=u%Ss+Ss),u>Sp)this._append`A${n},${n},0,1,${p},${t-a},${e-i}A${n},${n},0,1,${p},${this._x1=l},${this._y1=c}`;else if(u>Xt){let h=t+n*Math.cos(r),m=e+n*Math.sin(r);if(u>=Ce&&this._equal(l,c,h,m)){u/=2;let f=s+u;this._append`A${n},${n},0,${+(u>=Ce)},${p},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(u>=Ce)},${p},${this._x1=h},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function Ap(){return new Ds}Ap.prototype=Ds.prototype;function lt(t){return function(){return t}}var Tp=Math.cos,Ns=Math.sin,he=Math.sqrt,Po=1e-12,_n=Math.PI,Om=_n/2,ma=2*_n;function fa(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new Ds(e)}var Pm=Array.prototype.slice;function $a(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function ga(t){this._context=t}ga.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function qs(t){return new ga(t)}function xa(t){return t[0]}function ya(t){return t[1]}function ze(t,e){var n=lt(!0),s=null,r=qs,o=null,a=fa(i);t=typeof t=="function"?t:t===void 0?xa:lt(t),e=typeof e=="function"?e:e===void 0?ya:lt(e);function i(l){var c,p=(l=$a(l)).length,u,h=!1,m;for(s==null&&(o=r(m=a())),c=0;c<=p;++c)!(c<p&&n(u=l[c],c,l))===h&&((h=!h)?o.lineStart():o.lineEnd()),h&&o.point(+t(u,c,l),+e(u,c,l));if(m)return o=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:lt(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:lt(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:lt(!!l),i):n},i.curve=function(l){return arguments.length?(r=l,s!=null&&(o=r(s)),i):r},i.context=function(l){return arguments.length?(l==null?s=o=null:o=r(s=l),i):s},i}function ba(t,e,n){var s=null,r=lt(!0),o=null,a=qs,i=null,l=fa(c);t=typeof t=="function"?t:t===void 0?xa:lt(+t),e=typeof e=="function"?e:lt(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?ya:lt(+n);function c(u){var h,m,f,g=(u=$a(u)).length,$,y=!1,w,b=new Array(g),x=new Array(g);for(o==null&&(i=a(w=l())),h=0;h<=g;++h){if(!(h<g&&r($=u[h],h,u))===y)if(y=!y)m=h,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=h-1;f>=m;--f)i.point(b[f],x[f]);i.lineEnd(),i.areaEnd()}y&&(b[h]=+t($,h,u),x[h]=+e($,h,u),i.point(s?+s($,h,u):b[h],n?+n($,h,u):x[h]))}if(w)return i=null,w+""||null}function p(){return ze().defined(r).curve(a).context(o)}return c.x=function(u){return arguments.length?(t=typeof u=="function"?u:lt(+u),s=null,c):t},c.x0=function(u){return arguments.length?(t=typeof u=="function"?u:lt(+u),c):t},c.x1=function(u){return arguments.length?(s=u==null?null:typeof u=="function"?u:lt(+u),c):s},c.y=function(u){return arguments.length?(e=typeof u=="function"?u:lt(+u),n=null,c):e},c.y0=function(u){return arguments.length?(e=typeof u=="function"?u:lt(+u),c):e},c.y1=function(u){return arguments.length?(n=u==null?null:typeof u=="function"?u:lt(+u),c):n},c.lineX0=c.lineY0=function(){return p().x(t).y(e)},c.lineY1=function(){return p().x(t).y(n)},c.lineX1=function(){return p().x(s).y(e)},c.defined=function(u){return arguments.length?(r=typeof u=="function"?u:lt(!!u),c):r},c.curve=function(u){return arguments.length?(a=u,o!=null&&(i=a(o)),c):a},c.context=function(u){return arguments.length?(u==null?o=i=null:i=a(o=u),c):o},c}var Lm=Ep(qs);function wa(t){this._curve=t}wa.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function Ep(t){function e(n){return new wa(t(n))}return e._curve=t,e}var zm=he(3),Op=he(1/3),Rm=Op*2,va=Ns(_n/10)/Ns(7*_n/10),Dm=Ns(ma/10)*va,qm=-Tp(ma/10)*va,jm=he(3),Fm=he(3),Im=he(3)/2,Pp=1/he(12),Wm=(Pp/2+1)*3;function qt(){}function kn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function js(t){this._context=t}js.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:kn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:kn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Lp(t){this._context=t}Lp.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:kn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function zp(t){this._context=t}zp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:kn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function _a(t,e){this._basis=new js(t),this._beta=e}_a.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],r=e[0],o=t[n]-s,a=e[n]-r,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*o),this._beta*e[i]+(1-this._beta)*(r+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var Bm=(function t(e){function n(s){return e===1?new js(s):new _a(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function Mn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function Fs(t,e){this._context=t,this._k=(1-e)/6}Fs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:Mn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:Mn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Hm=(function t(e){function n(s){return new Fs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Is(t,e){this._context=t,this._k=(1-e)/6}Is.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Mn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Um=(function t(e){function n(s){return new Is(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Ws(t,e){this._context=t,this._k=(1-e)/6}Ws.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Mn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Km=(function t(e){function n(s){return new Ws(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Bs(t,e,n){var s=t._x1,r=t._y1,o=t._x2,a=t._y2;if(t._l01_a>Po){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,r=(r*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>Po){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,p=3*t._l23_a*(t._l23_a+t._l12_a);o=(o*c+t._x1*t._l23_2a-e*t._l12_2a)/p,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/p}t._context.bezierCurveTo(s,r,o,a,t._x2,t._y2)}function ka(t,e){this._context=t,this._alpha=e}ka.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Bs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Vm=(function t(e){function n(s){return e?new ka(s,e):new Fs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Ma(t,e){this._context=t,this._alpha=e}Ma.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Bs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Xm=(function t(e){function n(s){return e?new Ma(s,e):new Is(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Sa(t,e){this._context=t,this._alpha=e}Sa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Bs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Gm=(function t(e){function n(s){return e?new Sa(s,e):new Ws(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Rp(t){this._context=t}Rp.prototype={areaStart:qt,areaEnd:qt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function Lo(t){return t<0?-1:1}function zo(t,e,n){var s=t._x1-t._x0,r=e-t._x1,o=(t._y1-t._y0)/(s||r<0&&-0),a=(n-t._y1)/(r||s<0&&-0),i=(o*r+a*s)/(s+r);return(Lo(o)+Lo(a))*Math.min(Math.abs(o),Math.abs(a),.5*Math.abs(i))||0}function Ro(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function xs(t,e,n){var s=t._x0,r=t._y0,o=t._x1,a=t._y1,i=(o-s)/3;t._context.bezierCurveTo(s+i,r+i*e,o-i,a-i*n,o,a)}function Cs(t){this._context=t}Cs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:xs(this,this._t0,Ro(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,xs(this,Ro(this,n=zo(this,t,e)),n);break;default:xs(this,this._t0,n=zo(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Dp(t){this._context=new Na(t)}(Dp.prototype=Object.create(Cs.prototype)).point=function(t,e){Cs.prototype.point.call(this,e,t)};function Na(t){this._context=t}Na.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,r,o){this._context.bezierCurveTo(e,t,s,n,o,r)}};function qp(t){this._context=t}qp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=Do(t),r=Do(e),o=0,a=1;a<n;++o,++a)this._context.bezierCurveTo(s[0][o],r[0][o],s[1][o],r[1][o],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function Do(t){var e,n=t.length-1,s,r=new Array(n),o=new Array(n),a=new Array(n);for(r[0]=0,o[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)r[e]=1,o[e]=4,a[e]=4*t[e]+2*t[e+1];for(r[n-1]=2,o[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=r[e]/o[e-1],o[e]-=s,a[e]-=s*a[e-1];for(r[n-1]=a[n-1]/o[n-1],e=n-2;e>=0;--e)r[e]=(a[e]-r[e+1])/o[e];for(o[n-1]=(t[n]+r[n-1])/2,e=0;e<n-1;++e)o[e]=2*t[e+1]-r[e+1];return[r,o]}function jp(t,e){this._context=t,this._t=e}jp.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};var Fp=Math.random().toString(36).slice(2,8),Ip=0,J=()=>j(()=>`r${Fp}-${++Ip}`)[0];function L(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):Wp(t,e)).replace("-","−").replace("e-","e−")}function Wp(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function Cn(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return L(t)}function Ca(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:r,rows:o,columns:a}=t[e[0]],i=a??Array.from({length:s[1]},(l,c)=>c);n.push([e[0],...i]);for(let l=0;l<s[0];l++)n.push([o?.[l]??l,...Array.from({length:s[1]},(c,p)=>r[l*s[1]+p])])}else{let s=Math.max(0,...e.map(r=>t[r].shape.length));n.push(["array",...Array.from({length:s},(r,o)=>`index ${o}`),"value"]);for(let r of e){let{shape:o,data:a}=t[r];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=o.length-1,p=i;c>=0;c--)l[c]=p%o[c],p=Math.floor(p/o[c]);n.push([r,...l,a[i]])}}}return n.map(s=>s.map(Bp).join(",")).join(`\r
`)+`\r
`}function Bp(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var G={left:66,right:22,top:10,bottom:42};function Ct({series:t,label:e,xLabel:n,yLabel:s,logX:r,logY:o,marks:a=[],height:i=260,xMin:l,yMin:c,says:p=L}){let[u,h]=et(),m=J(),[f,g]=j(null),$=t.map(v=>({...v,points:v.x.map((E,C)=>[E,v.y[C]]).filter(([E,C])=>Nt(E,r)&&Nt(C,o))})),y=$.flatMap(v=>v.points.map(([E])=>E)).concat(a.map(v=>v.x).filter(v=>Nt(v,r))),w=$.flatMap(v=>[...v.points.map(([,E])=>E),...v.low??[],...v.high??[]]).filter(v=>Nt(v,o)),b=Hs(y,r,[G.left,Math.max(h-G.right,G.left+10)],l),x=Hs(w,o,[i-G.bottom,G.top],c),k=ze().defined(([v,E])=>Nt(v,r)&&Nt(E,o)).x(([v])=>b(v)).y(([,v])=>x(v)),O=[...new Set(y)].sort((v,E)=>v-E),M=v=>{let E=v.clientX-v.currentTarget.getBoundingClientRect().left;O.length&&g(O.reduce((C,z)=>Math.abs(b(z)-E)<Math.abs(b(C)-E)?z:C))},P=v=>{let E={ArrowRight:1,ArrowLeft:-1}[v.key];!E||!O.length||(v.preventDefault(),g(O[Math.max(0,Math.min(O.length-1,(f===null?-1:O.indexOf(f))+E))]))},N=f===null?[]:$.map((v,E)=>({name:v.name,i:E,y:v.points.find(([C])=>C===f)?.[1]})).filter(v=>v.y!==void 0);return d`<figure class="chart" ref=${u}>
    ${t.length>1&&d`<ul class="keys">${t.map((v,E)=>d`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${v.class??wt[E%6]} stroke-dasharray=${Se[E%6]} /></svg>${v.name}</li>`)}</ul>`}
    ${h>0&&d`<svg width=${h} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${Hp($,n,p)}`} aria-describedby=${m}
      onPointerMove=${M} onPointerLeave=${()=>g(null)} onKeyDown=${P} onBlur=${()=>g(null)}>
      <${Ta} x=${b} y=${x} logX=${r} logY=${o} xLabel=${n} yLabel=${s} width=${h} height=${i} says=${p} />
      ${a.map(v=>Nt(v.x,r)&&d`<g class="mark"><line x1=${b(v.x)} x2=${b(v.x)} y1=${G.top} y2=${i-G.bottom} />
        <text x=${b(v.x)+4} y=${G.top+10}>${v.name}</text></g>`)}
      ${$.map((v,E)=>d`<g>
        ${v.low&&d`<path class=${`band ${v.class??wt[E%6]}`} d=${ba().x((C,z)=>b(v.x[z])).y0((C,z)=>x(v.low[z])).y1((C,z)=>x(v.high[z]))(v.x)} />`}
        <path class=${`curve ${v.class??wt[E%6]}`} stroke-dasharray=${Se[E%6]} d=${k(v.points)} />
        ${v.points.length<2&&v.points.map(([C,z])=>d`<circle class=${`dot ${v.class??wt[E%6]}`} cx=${b(C)} cy=${x(z)} r="3" />`)}
      </g>`)}
      ${f!==null&&d`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${G.top} y2=${i-G.bottom} />
        ${N.map(v=>d`<circle class=${`dot ${$[v.i].class??wt[v.i%6]}`} cx=${b(f)} cy=${x(v.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?d`<span class="hint">point, or use the arrow keys, to read numbers</span>`:d`${n} ${p(f)}: ${N.map((v,E)=>d`${E?" · ":""}${v.name} <b>${p(v.y)}</b>`)}`}</figcaption>
  </figure>`}var Nt=(t,e)=>Number.isFinite(t)&&(!e||t>0);function Hs(t,e,n,s){let[r,o]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(r=Math.min(r,s)),r===o&&([r,o]=e?[r/2,o*2]:[r-.5,o+.5]);let a=(e?Rs():Le()).domain([r,o]).range(n);return e&&o/r<1e3?a:a.nice()}function Hp(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function Ta({x:t,y:e,logX:n,logY:s,xLabel:r,yLabel:o,width:a,height:i,says:l}){let c=(u,h,m)=>{let f=u.ticks(m);return h?f.filter(g=>f.length<=m+2||Number.isInteger(Math.round(Math.log10(g)*1e9)/1e9)):f},p=i-G.bottom;return d`<g class="axes">
    ${c(e,s,5).map(u=>d`<g><line x1=${G.left} x2=${a-G.right} y1=${e(u)} y2=${e(u)} /><text x=${G.left-7} y=${e(u)} dy="0.35em" text-anchor="end">${Aa(u,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(u=>d`<g><line x1=${t(u)} x2=${t(u)} y1=${p} y2=${p+4} /><text x=${t(u)} y=${p+17} text-anchor="middle">${Aa(u,l)}</text></g>`)}
    <text class="name" x=${(G.left+a-G.right)/2} y=${i-6} text-anchor="middle">${r}</text>
    <text class="name" transform=${`translate(13,${(G.top+p)/2}) rotate(-90)`} text-anchor="middle">${o}</text>
  </g>`}var Aa=(t,e)=>Math.abs(t)>=1e4?Cn(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function Ea({names:t,groups:e,label:n,yLabel:s,logY:r,height:o=240,says:a=L}){let[i,l]=et(),c=Object.entries(e),p=c.flatMap(([,g])=>g).filter(g=>Nt(g,r)),u=Hs(r?p:[...p,0],r,[o-G.bottom,G.top]),h=(l-G.left-G.right)/Math.max(t.length,1),m=Math.min(38,h*.72/c.length),f=r?o-G.bottom:u(0);return d`<figure class="chart" ref=${i}>
    ${c.length>1&&d`<ul class="keys">${c.map(([g],$)=>d`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${wt[$%6]} /></svg>${g}</li>`)}</ul>`}
    ${l>0&&d`<svg width=${l} height=${o} role="img" aria-label=${`${n}. ${c.map(([g,$])=>t.map((y,w)=>`${y} ${g} ${a($[w])}`).join(", ")).join("; ")}`}>
      <${Ta} x=${null} y=${u} logY=${r} xLabel="" yLabel=${s} width=${l} height=${o} says=${a} />
      ${t.map((g,$)=>d`<g>
        ${c.map(([y,w],b)=>Nt(w[$],r)&&d`<rect class=${wt[b%6]} rx="2" x=${G.left+($+.5)*h-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(u(w[$]),f)} height=${Math.abs(f-u(w[$]))}><title>${`${g}, ${y}: ${a(w[$])}`}</title></rect>`)}
        <text class="tick" x=${G.left+($+.5)*h} y=${o-G.bottom+17} text-anchor="middle">${g.length>h/6?`${g.slice(0,Math.max(2,Math.floor(h/6)-1))}…`:g}</text>
      </g>`)}
    </svg>`}
  </figure>`}function At({off:t,onClick:e,children:n,...s}){return d`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function at({label:t,value:e,min:n,max:s,step:r,onChange:o,says:a=L,disabled:i}){let l=J();return d`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${r} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>o(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function it({label:t,value:e,options:n,onChange:s}){let r=J();return d`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([o,a])=>d`<label><input type="radio" name=${r} value=${o} checked=${o===e}
        onChange=${()=>s(o)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function st({label:t,value:e,options:n,onChange:s,hidden:r}){let o=J(),a=([i,l])=>Array.isArray(l)?d`<optgroup label=${i}>${l.map(a)}</optgroup>`:d`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return d`<div class="control">
    <label for=${o} class=${r?"unseen":""}>${t}</label>
    <select id=${o} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function gt({label:t,value:e,onChange:n}){return d`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function Tt({label:t,value:e,onChange:n,live:s,lines:r,placeholder:o,spellcheck:a=!1,max:i}){let l=J(),[c,p]=j(null),u=()=>(c!==null&&c!==e&&n(c),p(null)),h={id:l,placeholder:o,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):p(m.target.value),onBlur:u,onKeyDown:m=>m.key==="Enter"&&(!r||m.ctrlKey||m.metaKey)&&u()};return d`<div class="control text"><label for=${l}>${t}</label>
    ${r?d`<textarea rows=${r} ...${h}></textarea>`:d`<input type="text" ...${h} />`}</div>`}function de({label:t,value:e,step:n=.1,onChange:s,disabled:r}){let[o,a]=j(null),i=q(null),l=q(null),c=u=>Number(u.toFixed(6)),p=u=>{a(null);let h=Number(String(u).replace("−","-").replace(",","."));if(String(u).trim()!==""&&Number.isFinite(h)&&Math.abs(h)<=1e6)return s(h);l.current.setCustomValidity("a number from −1,000,000 to 1,000,000"),l.current.reportValidity(),setTimeout(()=>l.current?.setCustomValidity(""),2500)};return d`<input ref=${l} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${r}
    value=${o??String(e).replace("-","−")}
    onInput=${u=>a(u.target.value)}
    onBlur=${u=>o!==null&&p(u.target.value)}
    onKeyDown=${u=>{let h={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[u.key];u.key==="Enter"?p(u.target.value):u.key==="Escape"?a(null):h&&(u.preventDefault(),s(c(e+h*n)))}}
    onPointerDown=${u=>i.current={x:u.clientX,from:e,id:u.pointerId}}
    onPointerMove=${u=>{let h=i.current;!h||Math.abs(u.clientX-h.x)<4&&!h.moving||(h.moving=!0,u.target.setPointerCapture(h.id),s(c(h.from+Math.round((u.clientX-h.x)/4)*n)))}}
    onPointerUp=${()=>i.current=null}
    onPointerCancel=${()=>i.current=null} />`}function me(t,e,n,s=n){let r={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(r===void 0)return null;t.preventDefault();let o=e+r;return o<0||o>=n?e:o}var Up=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, th button, :has(> svg))",Kp=`[data-unpictured], script, style, noscript, template, title, ${Up}`;function Ks(t,e=""){let n=t.getBoundingClientRect(),[s,r]=[Math.ceil(n.width)+32,Math.ceil(n.height)+32],o={clips:0,defs:""},a=ft(Vp(t))??{fill:"#ffffff"},i=nt("g",{transform:`translate(${De(16-n.left)},${De(16-n.top)})`},La(t,o));return`<?xml version="1.0" encoding="UTF-8"?>
${nt("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:s,height:r,viewBox:`0 0 ${s} ${r}`},`${nt("title",{},qe(e)||" ")}${o.defs&&nt("defs",{},o.defs)}${nt("rect",{width:s,height:r,...a})}${i}`)}
`}async function Pa(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:r,naturalHeight:o}=s,a=Math.min(e,16e3/Math.max(r,o),Math.sqrt(2e8/(r*o))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(r*a),Math.round(o*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function Vp(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(ft(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function La(t,e){if(t.matches(Kp))return"";let n=getComputedStyle(t),s=Number(n.opacity),r=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||r)return"";let o=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[o],l=a?i.map(u=>Gp(t,n,u)).join(""):"",c={canvas:tu,svg:su,img:eu,input:Yp}[t.localName],p=l;if(c)p+=a?c(t,n,o):"";else{t.localName==="mfrac"&&t.children.length===2&&(p+=Qp(t,n,o)),t.localName==="msqrt"&&(p+=Zp(t,n,o));let u=[...t.childNodes].map(h=>{if(h.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?Jp(h,n):"";let m=t.localName==="details"&&!t.open&&h.localName!=="summary";return h.nodeType!==Node.ELEMENT_NODE||m?"":La(h,e)});p+=Xp(t,n,o,e,u.join(""))}return s<1&&p?nt("g",{opacity:s},p):p}function Xp(t,e,n,s,r){let o=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!r||!o||!a)return r;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=nt("clipPath",{id:i},nt("rect",l)),nt("g",{"clip-path":`url(#${i})`},r)}function Gp(t,e,{left:n,top:s,width:r,height:o}){if(r<=0||o<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,o/2),i=($,y)=>nt("rect",{x:n-$,y:s-$,width:r+2*$,height:o+2*$,rx:a?a+$:null,...y}),l=($,y,w)=>i(w,{fill:"none",...ft(y,"stroke"),"stroke-width":$}),c=ft(e.backgroundColor),p=c?i(0,c):"",[u,h,m,f]=["Top","Right","Bottom","Left"].map($=>({size:e[`border${$}Style`]==="none"?0:parseFloat(e[`border${$}Width`]),colour:e[`border${$}Color`]}));if([h,m,f].every(({size:$,colour:y})=>$===u.size&&y===u.colour))u.size>0&&ft(u.colour)&&(p+=l(u.size,u.colour,-u.size/2));else{let[$,y]=[n+r,s+o],w=[[u,n,s,$,s],[h,$,s,$,y],[m,n,y,$,y],[f,n,s,n,y]];for(let[{size:b,colour:x},k,O,M,P]of w){let N=b>0&&ft(x,"stroke");N&&(p+=nt("line",{x1:k,y1:O,x2:M,y2:P,...N,"stroke-width":b}))}}let g=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&g>0&&!t.matches(":focus")&&(p+=l(g,e.outlineColor,parseFloat(e.outlineOffset)+g/2)),p}function Jp(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let r=document.createRange(),o=(c,p)=>(r.setStart(t,c),r.setEnd(t,p),[...r.getClientRects()].filter(u=>u.width>0&&u.height>0)),a=n.trimEnd().length,i=o(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Oa(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let p=n.codePointAt(c)>65535?2:1,u=o(c,c+p).at(-1),h=l.at(-1);u&&(!h||Math.abs(u.top-h.from.top)>u.height/2)?l.push({text:n.slice(c,c+p),from:u,to:u}):u?(h.text+=n.slice(c,c+p),/\S/.test(n[c])&&(h.to=u)):h&&(h.text+=n.slice(c,c+p)),c+=p}return l.map(c=>Oa(c.text,e,c.from,c.to)).join("")}function Oa(t,e,n,s){let o=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?o.toUpperCase():o,i=ft(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=za(e),p=a.length>1&&s.right>n.left?s.right-n.left:null,u=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return nt("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:p,lengthAdjust:p===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":u?"italic":null},qe(a))}var Us=new Map;function za(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!Us.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:r}=n.measureText("x");Us.set(e,{up:s,down:r})}return Us.get(e)}function Yp(t,e,n){let{up:s,down:r}=za(e),o=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return nt("text",{x:o,y:n.top+n.height/2+(s-r)/2,...ft(e.color),...a},qe(t.value))}function Qp(t,e,n){let[s,r]=[...t.children].map(i=>i.getBoundingClientRect()),o=(s.bottom+r.top)/2,a={...ft(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return nt("line",{x1:n.left+1,x2:n.right-1,y1:o,y2:o,...a})}function Zp(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,r=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[r*.25,n.height*.54],[r*.6,n.height],[r,1],[n.width,1]].map(([i,l])=>`${De(n.left+i)},${De(n.top+l)}`).join(" ");return nt("polyline",{points:a,fill:"none",...ft(e.color,"stroke"),"stroke-width":1})}function tu(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return Ra(t.toDataURL("image/png"),e,n);let[r,o]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let p=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===p;)c++;let[u,h]=[c<s.columns?r/2:0,i<s.rows-1?o/2:0];a+=nt("rect",{x:n.left+l*r,y:n.top+i*o,width:(c-l)*r+u,height:o+h,...ft(p)})}return nt("g",{"shape-rendering":"crispEdges"},a)}function eu(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),Ra(s.toDataURL("image/png"),e,n)}var Ra=(t,e,{left:n,top:s,width:r,height:o})=>t.length<10?"":nt("image",{x:n,y:s,width:r,height:o,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),Da={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},nu=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function su(t,e,n){let[s,r]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),o=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:r,overflow:o};return nt("svg",a,[...t.childNodes].map(i=>qa(i,Da)).join(""))}function qa(t,e){if(t.nodeType===Node.TEXT_NODE)return qe(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!nu.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let r={...e};for(let a of Object.keys(Da)){delete s[a];let i=/^(fill|stroke)$/.test(a)?ru(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=r[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let o=[...t.childNodes].map(a=>qa(a,r)).join("");return nt(t.localName==="a"?"g":t.localName,s,o)}function ru(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=ft(t);return e?e["fill-opacity"]?t:e.fill:"none"}function ft(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:ou(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let r=n.slice(1,4).map(o=>Math.round(Number(o)).toString(16).padStart(2,"0")).join("");return{[e]:`#${r}`,[`${e}-opacity`]:s<1?s:null}}var Re=null;function ou(t){Re??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),Re.clearRect(0,0,1,1),Re.fillStyle=t,Re.fillRect(0,0,1,1);let[e,n,s]=Re.getImageData(0,0,1,1).data;return`#${[e,n,s].map(r=>r.toString(16).padStart(2,"0")).join("")}`}function nt(t,e={},n=""){let s=`<${t}`;for(let[r,o]of Object.entries(e))o!=null&&o!==""&&(s+=` ${r}="${qe(typeof o=="number"?De(o):o)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var De=t=>String(Math.round(t*100)/100),qe=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function ct({name:t,of:e,numbers:n,saves:s,ask:r,view:o,state:a,place:i}){let[l,c]=j(!1),[p,u]=j({text:"",error:!1}),[h,m]=j(!1),f=q(null),g=J(),$=k=>{c(!1),k&&f.current?.querySelector("button").focus()};B(()=>{if(!l)return;f.current.querySelector("[role=menuitem]").focus();let k=O=>f.current?.contains(O.target)||c(!1);return document.addEventListener("pointerdown",k),()=>document.removeEventListener("pointerdown",k)},[l]);let y=()=>Ks(e.current,t),w=[["Picture, SVG",async()=>je(t,"svg",new Blob([y()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>je(t,"png",await Pa(y()))],n&&["Numbers, CSV",async()=>je(t,"csv",new Blob([Ca(await n())],{type:"text/csv;charset=utf-8"}))],n&&i!=="file"&&["Numbers, NPZ",async()=>je(t,"npz",await au(r,await n()))],s&&i!=="file"&&["This view, HTML",async()=>je(t,"html",await lu(r,o,a,s()))],i==="page"&&["Copy a link",async()=>iu(location.href)]].filter(Boolean),b=async k=>{m(!0),u({text:"",error:!1});try{u({text:await k(),error:!1}),$(!0)}catch(O){u({text:O.message,error:!0})}m(!1)};return d`<div class="menu" ref=${f} data-unpictured onKeyDown=${k=>{if(k.key==="Escape"&&l)return k.stopPropagation(),$(!0);if(!l){k.key==="ArrowDown"&&(k.preventDefault(),c(!0));return}let O=[...f.current.querySelectorAll("[role=menuitem]")],M=O.indexOf(document.activeElement);M>=0&&k.key!=="ArrowLeft"&&k.key!=="ArrowRight"&&O[me(k,M,O.length,1)??M].focus()}}
    onFocusOut=${k=>k.relatedTarget&&!f.current.contains(k.relatedTarget)&&$(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(l)} aria-controls=${l?g:null} onClick=${()=>c(!l)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${l&&d`<div id=${g} role="menu" aria-label="Export" aria-busy=${String(h)}>
      ${w.map(([k,O])=>d`<button role="menuitem" tabindex="-1" disabled=${h} onClick=${()=>b(O)}>${k}</button>`)}
      ${h&&d`<p class="waiting" role="none">saving …</p>`}
      ${p.error&&d`<p class="error" role="none">${p.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${p.text}</span>
  </div>`}function je(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,r=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(r),r.click(),r.remove(),setTimeout(()=>URL.revokeObjectURL(r.href),6e4),`${s} was saved`}async function au(t,e){let n=({shape:i,data:l})=>({shape:i,data:cs(new Uint8Array(Float64Array.from(l,c=>c??NaN).buffer))}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:r,data:o,offset:a}=await t("npz",s);return new Blob([new Uint8Array(o,a)],{type:r.kind})}async function iu(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function lu(t,e,n,s){let r=await t("frame",{}),o=[...new Map(s.map(p=>[JSON.stringify(p),p])).values()],a=[],i=0;for(let p=0;p<o.length;p+=4){let u=o.slice(p,p+4);if((await Promise.all(u.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let g=m.packed instanceof Uint8Array?cs(m.packed):m;a.push([...u[f],g]),i+=typeof g=="string"?g.length:JSON.stringify(g).length}),i>r.max_answers)throw new Error(`a saved file must have at most ${r.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:r.version,date:l});return new Blob([r.before,c.replaceAll("<","\\u003c"),r.after],{type:"text/html;charset=utf-8"})}var ja=new WeakMap;function Xs(t,e,n,s,r=s){if(s===1&&r===1)return{data:t,rows:e,columns:n,down:s,right:r,at:null};let o=ja.get(t);if(o?.down===s&&o.right===r)return o;let[a,i]=[Math.ceil(e/s),Math.ceil(n/r)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:r,at:new Uint32Array(a*i)};for(let c=0,p=0;c<e;c++)for(let u=0,h=Math.floor(c/s)*i,m=r;u<n;u++,p++){let[f,g]=[t[p]<0?-t[p]:t[p],l.data[h]<0?-l.data[h]:l.data[h]];f>g&&(l.data[h]=t[p],l.at[h]=p+1),--m===0&&(h++,m=r)}return ja.set(t,l),l}function En(t,e,n,s,r,o,a=2048){let i=Xs(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Kt(r).buffer),c=new ImageData(i.columns,i.rows),p=new Uint32Array(c.data.buffer);for(let u=0;u<p.length;u++)p[u]=l[ln(i.data[u],r,o)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(u,h)=>zt(i.data[u*i.columns+h],r,o)}}var Vs=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],An=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Tn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>An(n,e).length));function Ia(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=Vs[0].least?s:Math.min(n-Tn(t,Vs[1]),600)}function Mt(t){let{data:e,rows:n,columns:s,scale:r="weight",limit:o=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:p,onPoint:u,says:h,side:m=520,titles:f,tip:g}=t,$=ut(),y=q(null),w=J(),[b,x]=j(null),k=Math.max(Math.min(m/Math.max(n,s),56),.001),[O,M]=[k*s,k*n],P=Vs.find(({least:_})=>k>=_),N=P&&l&&Tn(l,P)-P.space>k,v=(P&&i?Tn(i,P):0)+(f?18:0),E=(P&&l?6+(N?Tn(l,P):P.space):0)+(f?18:0),C={fontSize:`${Math.min(P?.size,k)}px`};pt(()=>{En(y.current,e,n,s,r,o)},[e,n,s,r,o,$]),B(()=>x(null),[n,s]);let z=_=>{let A=y.current.getBoundingClientRect(),[R,W]=[Math.floor((_.clientY-A.top)/A.height*n),Math.floor((_.clientX-A.left)/A.width*s)];return R>=0&&W>=0&&R<n&&W<s?[R,W]:null},F=_=>(x(_),u?.(..._??[null,null])),T=h??((_,A)=>`${i?.[_]??`row ${_}`} to ${l?.[A]??`column ${A}`}: ${L(e[_*s+A])}`),D=_=>{let[A,R]=b??c??[0,0],W=_.shiftKey?Math.max(1,Math.round(s/16)):1,rt={ArrowUp:[-W,0],ArrowDown:[W,0],ArrowLeft:[0,-W],ArrowRight:[0,W],Home:[0,-R],End:[0,s-1-R]}[_.key];rt?(_.preventDefault(),F(b?[Fa(A+rt[0],n),Fa(R+rt[1],s)]:[A,R])):(_.key==="Enter"||_.key===" ")&&b&&(_.preventDefault(),p?.(A,R))},S=(_,A)=>_&&d`<rect class=${A} x=${v+_[1]*k} y=${E+_[0]*k} width=${Math.max(k,2)} height=${Math.max(k,2)} />`;return d`<div class="heatmap" style=${{width:`${v+O}px`,height:`${E+M}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${w}
    onKeyDown=${D} onBlur=${()=>F(null)} onPointerLeave=${()=>F(null)}
    onPointerMove=${_=>F(z(_))}
    onClick=${_=>z(_)&&p?.(...z(_))}>
    <canvas ref=${y} style=${{left:`${v}px`,top:`${E}px`,width:`${O}px`,height:`${M}px`}}></canvas>
    <svg width=${v+O} height=${E+M} aria-hidden="true">
      ${f&&d`<text class="title" x=${v} y="12">${f[1]}</text><text class="title" transform=${`translate(12,${E+M}) rotate(-90)`}>${f[0]}</text>`}
      ${g&&b&&d`<rect class="lit" x=${v} y=${E+b[0]*k} width=${O} height=${k} />
        <rect class="lit" x=${v+b[1]*k} y=${E} width=${k} height=${M} />`}
      ${P&&i?.map((_,A)=>d`<text class=${`tick${g&&b?.[0]===A?" now":""}`} style=${C} x=${v-6} y=${E+(A+.5)*k} dy="0.35em" text-anchor="end">${An(_,P)}</text>`)}
      ${P&&l?.map((_,A)=>N?d`<text class=${`tick${g&&b?.[1]===A?" now":""}`} style=${C} transform=${`translate(${v+(A+.5)*k},${E-6}) rotate(-90)`} dy="0.35em">${An(_,P)}</text>`:d`<text class=${`tick${g&&b?.[1]===A?" now":""}`} style=${C} x=${v+(A+.5)*k} y=${E-6} text-anchor="middle">${An(_,P)}</text>`)}
      ${S(c,"pinned")}${S(b,"cursor")}
    </svg>
    ${g&&b&&d`<div class=${`tip${b[1]>s/2?" before":""}`} data-unpictured aria-hidden="true"
      style=${{left:`${v+(b[1]+(b[1]>s/2?0:1))*k}px`,top:`${E+(b[0]+1)*k}px`}}>${g(...b)}</div>`}
    <span id=${w} class="unseen" aria-live="polite">${b?T(...b):c?T(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var Fa=(t,e)=>Math.max(0,Math.min(e-1,t));function fe({scale:t="weight",limit:e=1,label:n="weight"}){let s=ut(),r=q(null);return pt(()=>{let o=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>o+(e-o)*l/127);En(r.current,a,1,128,t,e)},[t,e,s]),d`<div class="legend"><span>${t==="signed"?L(-e,2):0}</span><canvas ref=${r} aria-hidden="true"></canvas><span>${L(e,2)}</span><span class="of">${n}</span></div>`}function Ua({ask:t,row:e,document:n,state:s,place:r}){let[o,a]=j(!1),{response:i,error:l,waiting:c}=Y(t,"claim",{id:e.id,run:o}),p=q(null),u=i?.id===e.id?i:null,h=u?.verdict??e.verdict,m=u!==null&&u.verdict===null;return d`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!u?.verdict)}>
    <div ref=${p}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${wu} verdict=${h} /><span class="note">${m?"a run decides":Fe(h).about}</span>
        <${ct} name=${`claim-${e.id}`} of=${p} numbers=${u?.chart?()=>bu(u.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${r} /></div>
      ${u?.verdict&&!u.verdict.startsWith(u.expected)&&d`<p class="error">The catalogue expects: ${u.expected}.</p>`}
    </header>
    ${u?d`<${Zt} class="claims-question-asked" text=${u.asks} />`:d`<p class="claims-question-asked">${e.asks}</p>`}
    <${H} error=${l} waiting=${c&&!o}>checking …</${H}>
    ${m&&d`<${pu} claim=${u} running=${o&&c} place=${r} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${u&&d`<div class="claims-versions">${u.versions.filter(f=>f.role!=="twin").map(f=>d`<${Ka} version=${f} />`)}</div>
      ${u.chart&&d`<${gu} chart=${u.chart} />`}`}</div>
    ${u&&d`<${cu} claim=${u} ask=${t} place=${r} />`}
  </article>`}function cu({claim:t,ask:e,place:n}){let s=t.versions.find(r=>r.role==="twin");return d`
    ${t.see&&n==="page"&&d`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&d`<section class="claims-box">
      <h3>Try an answer</h3><${hu} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${Zt} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&d`<dl class="claims-letters">${t.quantities.map(([r,o])=>d`<${Zt} tag="dt" text=${r} /><${Zt} tag="dd" text=${o} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${Ka} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Zt} text=${t.method} />
      ${t.source&&d`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&d`<p>In the code: ${t.code.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</p>`}
      ${t.verdict&&d`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var Wa=6;function Ka({version:t}){let e=[...t.findings].sort((s,r)=>s.holds-r.holds),n=e.length>Wa+1?Wa:e.length;return d`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${Zt} class="claims-text" text=${t.text} />
    ${t.formula&&d`<${Zt} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&d`<${Ba} findings=${e.slice(0,n)} />`}
    ${n<e.length&&d`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${Ba} findings=${e.slice(n)} /></details>`}
  </section>`}var Ba=({findings:t})=>d`<ul class="claims-findings">${t.map(e=>d`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function pu({claim:t,running:e,place:n,onRun:s,onStop:r}){let[o,a]=j(0);return B(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),d`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?d`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(o,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(o)} s</span>
          <button onClick=${r}>Stop</button></div>`:n==="file"?d`<${Vt} place=${n} what="run it" />`:d`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function Zt({text:t,tag:e="div",class:n,label:s}){let r=q(null);return pt(()=>{if(r.current.innerHTML=t,!s)return;r.current.scrollWidth>r.current.clientWidth+1?r.current.tabIndex=0:r.current.removeAttribute("tabindex")},[t,s]),d`<${e} ref=${r} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var uu={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function hu({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return d`<div class="claims-questions">
    ${n.map(s=>{let r=e.filter(o=>o.question===s);return d`<div class="claims-question" key=${s} data-question=${s}>
        <p>${r[0].text}</p>
        ${r.map((o,a)=>d`<${du} key=${`${s} ${o.part}`} ask=${t} exercise=${o} tells=${o.how!==r[a-1]?.how} />`)}
      </div>`})}
    <${$u} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var Gs=new Map;function du({ask:t,exercise:e,tells:n}){let{question:s,part:r,asks:o,kind:a,how:i,choices:l,examples:c}=e,p=J(),u=`${s} ${r}`,[h,m]=j(Gs.get(u)??""),[f,g]=j(Gs.get(u)??null),{response:$,error:y,waiting:w,of:b}=Y(t,"answer",f===null?null:{question:s,part:r,answer:f}),x=M=>{m(M),M.trim()&&(Gs.set(u,M.trim()),g(M.trim()))},k=a==="truth"?[["true","true"],["false","false"]]:Object.entries(l),O=f!==null&&h.trim()===f&&b===JSON.stringify({question:s,part:r,answer:f});return d`<div class="claims-try" data-part=${r}>
    ${o&&d`<p class="claims-asks" id=${`${p}-asks`}>${o}</p>`}
    ${k.length?d`<div class=${`claims-options ${a}`} role="group" aria-label=${o||"Your answer"}>${k.map(([M,P])=>d`<button aria-pressed=${String(f===M)} onClick=${()=>x(M)}>
            ${a==="choice"?d`<b>${M}</b> ${P}`:P}
          </button>`)}</div>`:d`<form class="claims-form" onSubmit=${M=>(M.preventDefault(),x(h))}>
          <label class="unseen" for=${p}>${`Your answer${o?`: ${o}`:""}`}</label>
          <input id=${p} type="text" value=${h} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${p}-how`}
            placeholder="your answer" onInput=${M=>m(M.target.value)} />
          <button class="main" type="submit" disabled=${!h.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${p}-how`}>Write ${i}.</p>
        ${c.length>0&&d`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(M=>d`<button class="claims-example" onClick=${()=>x(M)}>${M}</button>`)}</p>`}`}
    <${H} error=${y} waiting=${w}>marking …</${H}>
    <div role="status" aria-live="polite">${O&&!y&&d`<${mu} mark=${$} />`}</div>
  </div>`}function mu({mark:t}){let[e,n]=uu[t.word],s=t.counterexample,r=Object.entries(s?.breakdown??{});return d`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&d`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&d`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&d`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([o,a])=>`${o} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${r.length>0&&d`<small>${r.map(([o,a],i)=>`${i?" + ":" = "}${a} (${o})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(o=>d`<p>${o}</p>`)}
  </div>`}var fu={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function $u({kinds:t}){let e=Object.entries(fu).filter(([n])=>t.has(n));return e.length?d`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>d`<dt>${n}</dt><dd>${s.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function gu({chart:t}){return d`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&d`<${Ct} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${Va(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&d`<${Ea} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${xu} chart=${t} />`}
    ${t.kind==="matrices"&&d`<${yu} chart=${t} />`}
  </div>`}var Va=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,r])=>({name:s,x:t,y:r,low:n?.[s]?.[0],high:n?.[s]?.[1]})),Xa=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function xu({chart:t}){return d`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>d`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>d`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>d`<td class="number">${L(s[n])}</td>`)}</tr>`)}</tbody>
  </table></div>`}function yu({chart:t}){let[e,n]=j(null),[s,r]=et(),o=X(()=>Xa(t),[t]),{signed:a,limit:i}=t,l=o.length===1?1:Math.max(2,Math.floor((r+24)/(o.length>4?164:250))),c=Math.min(o.length===1?420:260,(r-24*(l-1))/l-(t.rows?30:0)),p=a?"signed":"weight",u=(m,f)=>m??(f<=12?Array.from({length:f},(g,$)=>String($+1)):void 0),h=(m,f,g)=>{let[$,y]=[t.rows?.[f]??f+1,t.columns?.[g]??g+1];return`${m.name}, ${t.row_label} ${$}, ${t.column_label} ${y}: ${L(m.values[f*m.columns+g])}`};return d`<div ref=${s}>
    ${r>0&&d`<div class="claims-panels">${o.map(m=>d`<figure>
      <figcaption>${m.name}</figcaption>
      <${Mt} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${p} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${u(t.rows,m.rows)} columnNames=${u(t.columns,m.columns)}
        says=${(f,g)=>h(m,f,g)} onPoint=${(f,g)=>n(f===null?null:h(m,f,g))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${fe} scale=${p} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function bu(t){if(t.kind==="matrices"){let n=({rows:s,columns:r,values:o})=>({shape:[s,r],data:o,rows:t.rows,columns:t.columns});return Object.fromEntries(Xa(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...Ha(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:r,high:o}of Va(t))e.push([n,s],...r?[[`${n}, low`,r],[`${n}, high`,o]]:[]);return{[t.y_label]:Ha(e)}}var Ha=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),Js={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},Fe=t=>Js[t.split(":")[0]],Ga=({verdict:t})=>d`<span class=${`claims-sign claims-${Fe(t).kind}`} role="img" aria-label=${t} title=${t}>${Fe(t).sign}</span>`,wu=({verdict:t})=>d`<span class=${`claims-badge claims-${Fe(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${Fe(t).sign}</span>${t}
  </span>`;function vu(t){let{response:e,error:n,waiting:s}=Y(t.ask,"catalogue",{});return e?d`<${_u} ...${t} catalogue=${e} />`:d`<${H} error=${n} waiting=${s}>reading the catalogue …</${H}>`}function _u(t){let{ask:e,state:n,place:s,catalogue:{rows:r,documents:o}}=t,a=r.find(({id:l})=>l===n.claim),i=a?d`<${Ua} key=${a.id} ask=${e} row=${a} document=${o[a.document]} state=${n} place=${s} />`:d`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return d`<div class="claims">${s==="file"?i:d`<${ku} ...${t}>${i}<//>`}</div>`}function ku({state:t,change:e,catalogue:n,children:s}){let{documents:r}=n,o=X(()=>Cu(n),[n]),a=Au(o,t.search),i=(f,g)=>!t[g]||f[g]===t[g],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),p=l.filter(f=>i(f,"verdict")),u=([f,g])=>[f,`${g} (${c.filter($=>$.document===f).length})`],h=Nu(t.claim);return d`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!p.length||(f.key==="Enter"&&e({claim:p[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),h.current.querySelector("button").focus()))}}>
        <${Tt} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${st} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(r).map(u)]} />
      </div>
      <${Mu} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${Su} rows=${p} documents=${r} current=${t.claim} list=${h}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function Mu({rows:t,verdict:e,onChange:n}){let s=Object.entries(Js).filter(([r])=>r!=="unsettled");return d`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([r,{sign:o,kind:a}])=>d`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===r)}
      onClick=${()=>n(e===r?"":r)}>
      <span aria-hidden="true">${o}</span>${r}<span class="claims-count">${t.filter(i=>i.verdict===r).length}</span></button>`)}
  </div>`}function Su({rows:t,documents:e,current:n,list:s,onOpen:r,onClear:o}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return d`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],p=c.indexOf(l.target),u={ArrowDown:p+1,ArrowUp:p-1,Home:0,End:c.length-1}[l.key];p<0||u===void 0||(l.preventDefault(),c[u]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&d`<p class="claims-none">No claims found. <button onClick=${o}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let p=t.filter(u=>u.document===l);return p.length>0&&d`<section key=${l}><h3>${c}</h3><ul>${p.map(u=>d`<li key=${u.id}><button data-id=${u.id} aria-current=${u.id===n?"true":null} tabindex=${u.id===a?0:-1}
          onClick=${()=>r(u.id)}>
          <${Ga} verdict=${u.verdict} /><span class="claims-title">${u.title}</span><code>${u.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function Nu(t){let e=q(null);return B(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,r]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(r.top<s.top||r.bottom>s.bottom)&&(e.current.scrollTop+=r.top-s.top-s.height/3)},[t]),e}var Ja={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:vu},Ys=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),Ya=t=>Ys(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function Cu({rows:t,documents:e}){return t.map(n=>{let s=Ys(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:Ya(s)}})}function Au(t,e){let n=Ys(e).split(/\s+/).filter(Boolean),s=t.filter(({text:r})=>n.every(o=>r.includes(o)));return s.length?s.map(({row:r})=>r):t.filter(({words:r})=>Ya(e).every(o=>r.some(a=>Tu(o,a)))).map(({row:r})=>r)}function Tu(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>Eu(t,e.slice(0,t.length+n))<=1)}function Eu(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,r]=[t.slice(n),e.slice(n)];if(!s&&!r)return 0;let o=s.length>1&&s[0]===r[1]&&s[1]===r[0]&&s.slice(2)===r.slice(2);return s.slice(1)===r.slice(1)||s.slice(1)===r||s===r.slice(1)||o?1:2}function Za({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function Qs(t,e,n){let s=(r,o)=>n===0?r:r+n*(o-r);return{centre:e.centre.map((r,o)=>s(t.centre[o],r)),precision:e.precision.map((r,o)=>s(t.precision[o],r))}}function Ie(t,e,n){let s=Math.floor(e),r=(o,a)=>{let i=(o*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:p}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(p*i,p*(i+1))]}};return Array.from({length:t.heads},(o,a)=>e===s?r(s,a):Qs(r(s,a),r(s+1,a),e-s))}var On=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function ti(t){let[e,n,s]=On(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function $e(t,e){let[n,s,r]=On(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.sqrt(-Math.log1p(-e)),l=o<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-o,1e-12)),short:i/Math.sqrt(a+o),angle:l?0:Math.atan2(2*s,r-n)/2+Math.PI/2}}function Pn(t){let[e,n,s]=On(t);return(4*(e*s-n*n))**-.25}var Ou=60,Pu=.002;function ei(t,e){let[n,s,r]=On(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.min(1,Pu/Math.max(a-o,1e-9)),l=Math.max(i,Math.min(Math.max(1,Ou/(a+o)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var Zs=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function ni(t,e){let n=1.5,s=t.side>>1;for(let r=0;r<t.steps.length;r++){let o=2*(r*t.layers+e)*t.heads;for(let a of t.centres.subarray(o,o+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var dt=t=>`heads-hue-${t%6+1}`,Ln=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],Qa=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,zn=([t,e])=>`${Qa(t,"down","up")}, ${Qa(e,"right","left")}`;function ri({found:t,maps:e,head:n,precision:s,centre:r,onQuery:o}){let[a,i]=j(null),{h:l,w:c,query:p}=t,u=e.subarray(n*l*c,(n+1)*l*c),h=u.reduce((f,g)=>Math.max(f,g),0),m=t.heads[n];return d`<div class="heads-beside">
    <${Mt} data=${u} rows=${l} columns=${c} limit=${h} side=${160} chosen=${p} label=${`Weights of head ${n+1} from the query`}
      says=${(f,g)=>`row ${f}, column ${g}: ${L(u[f*c+g])}`} onChoose=${(f,g)=>o([f,g])}
      onPoint=${(f,g)=>i(f===null?null:[f,g])} />
    <div>
      <${fe} limit=${h} />
      <p class="heads-facts">${zn(r)}<br />width ${L(Pn(s),2)}</p>
      <p class="hint">${a?d`row ${a[0]}, column ${a[1]}: <b data-weight>${L(u[a[0]*c+a[1]])}</b>`:`Away from borders its largest weight is ${L(100*(1-m.softness),2)} %.`}</p>
    </div>
  </div>`}var Lu=t=>t.map(e=>String(e).replace("-","−")).join(", "),si=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function oi({found:t,chosen:e,onChoose:n}){let[s,r]=t.kernel_size,o=Math.min(54,174/r),a=([p,u])=>[(u+(r-1)/2)*o,(p+(s-1)/2)*o],i=o>=46,l=t.heads.map((p,u)=>({...p,head:u})).filter(p=>p.tap),c=[...t.free,...l.map(p=>p.tap)].filter(p=>t.heads.some(u=>si(u.peak,p)));return d`<div class="heads-beside">
    <svg class="heads-kernel" width=${r*o+2} height=${s*o+2} viewBox=${`-1 -1 ${r*o+2} ${s*o+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${r}`}>
      ${t.free.map(p=>d`<rect class="free" x=${a(p)[0]} y=${a(p)[1]} width=${o-3} height=${o-3} rx="5" />`)}
      ${l.map(({head:p,tap:u,distance:h,peak:m,softness:f})=>{let[g,$]=a(u),y=si(m,u),w=y?1-f:0,b=w*(o-3),x=y?`${L(100*w,2)} % of its weight there`:"its weight is largest elsewhere",k=y?`${L(100*w,1)} %`:`${L(h,2)} off`,O=g+(o-3)/2;return d`<g class=${`heads-tap ${dt(p)} ${p===e?"chosen":""} ${y?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${p===e} aria-label=${`Tap ${Lu(u)}: head ${p+1}, ${L(h,2)} away, ${x}`}
          onClick=${()=>n(p)} onKeyDown=${M=>M.key==="Enter"&&n(p)}>
          <rect class="cell" x=${g} y=${$} width=${o-3} height=${o-3} rx="5" />
          <rect class="share" x=${g} y=${$+o-3-b} width=${o-3} height=${b} rx="5" />
          <text class="name" x=${O} y=${$+(i?o*.4:(o-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${p+1}</text>
          ${i&&d`<text class="away" x=${O} y=${$+o*.72} text-anchor="middle">${k}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*r} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var zu=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function ai({found:{convolution:t,reason:e,h:n,w:s},isEven:r}){if(!t)return d`<p>There is no certificate: ${e}</p>`;let o=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,u])=>u!==null),i=u=>Math.min(1,u/o),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${L(o)}.`,p=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return d`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}>${L(t.bound)}</b> of a convolution with ${zu(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${p}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([u,h,m])=>d`<tr><th scope="row">${u}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(h)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}>${L(h)}</td></tr>`)}
    </tbody></table>
    <p class="hint">${r?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?d` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":d`Below 1 % at these centres: a precision of <b>${L(t.sharpness)}</b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var Ru={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function ii({found:t,onChoose:e}){let n=t.heads.flatMap((r,o)=>r.kinds.map(a=>[o,a])),s=r=>d`<button class="heads-name quiet" onClick=${()=>e(r)}><span class=${`heads-dot ${dt(r)}`} />Head ${r+1}</button>`;return t.unexamined?d`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?d`<p class="hint">None: every head looks at a place of its own.</p>`:d`<ul class="heads-odd">
    ${n.map(([r,o])=>d`<li data-kind=${o}>${s(r)} ${Ru[o]}</li>`)}
    ${t.alike.map(r=>d`<li data-kind="alike">Heads ${r.map(o=>o+1).join(", ")} have the same map</li>`)}
  </ul>`}var li={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function pi({heads:t,side:e,margin:n,query:s,chosen:r,image:o,trail:a,at:i,onPlace:l,onNudge:c,onWiden:p,onChoose:u,onQuery:h}){let[m,f]=et(),g=q(null),$=q(null),y=J(),w=Math.min(f,620)/(e+2*n),b=w*(e+2*n),x=S=>(S+n+.5)*w,k=S=>(S+n+.5)*w,O=S=>{let _=g.current.getBoundingClientRect();return[(S.clientY-_.top)/w-n-.5,(S.clientX-_.left)/w-n-.5]},M=S=>{let[_,A]=O(S).map(Math.round);Math.min(_,A)>=0&&Math.max(_,A)<e&&h([_,A])},P=(S,_)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),$.current=_},N={onPointerMove:S=>$.current?.(S),onPointerUp:()=>$.current=null,onPointerCancel:()=>$.current=null},v=S=>_=>{u(S);let[A,R]=O(_),[W,rt]=[t[S].centre[0]+s[0]-A,t[S].centre[1]+s[1]-R];P(_,K=>{let[Z,mt]=O(K);l(S,[Z+W-s[0],mt+rt-s[1]])})},E=S=>{let _=t[r].precision,A=W=>Math.max(Math.hypot(...O(W).map((rt,K)=>rt-t[r].centre[K]-s[K])),.1),R=A(S);P(S,W=>p(r,(R/A(W))**2,_))},C=S=>_=>{let A=li[_.key],R={"+":1,"=":1,"-":-1,"−":-1}[_.key];if(A)c(S,A.map(W=>W*(_.shiftKey?1:.1)));else if(R)p(S,1.1**(-2*R));else return;_.preventDefault()},z=S=>{let _=li[S.key];_&&(S.preventDefault(),h(s.map((A,R)=>Math.max(0,Math.min(e-1,A+_[R])))))},F=([S,_])=>[x(_+s[1]),k(S+s[0])].map(A=>Math.max(13,Math.min(b-13,A))),[T,D]=t[r]?F(t[r].centre):[];return d`<div class="heads-picture" ref=${m}>
    ${f>0&&d`<svg ref=${g} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${y} ...${N}>
      <g class="heads-pixels" onPointerDown=${S=>(M(S),$.current=M)}>
        <rect class="heads-board" x=${x(-.5)} y=${k(-.5)} width=${e*w} height=${e*w} />
        ${o&&Array.from(o,(S,_)=>S>0&&d`<rect class="heads-shade" width=${w} height=${w}
          x=${x(_%e-.5)} y=${k(Math.floor(_/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,_)=>d`
          <line x1=${x(_-.5)} x2=${x(_-.5)} y1=${k(-.5)} y2=${k(e-.5)} />
          <line y1=${k(_-.5)} y2=${k(_-.5)} x1=${x(-.5)} x2=${x(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,_)=>d`<${Du} head=${_} ...${S} query=${s} x=${x} y=${k} scale=${w} chosen=${_===r} />`)}
      </g>
      ${a&&d`<g aria-hidden="true" class=${`heads-trail ${dt(r)}`}>
        <polyline class="rest" points=${a.map(([S,_])=>`${x(_+s[1])},${k(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,_])=>`${x(_+s[1])},${k(S+s[0])}`).join(" ")} />
        <circle cx=${x(a[0][1]+s[1])} cy=${k(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${z} onPointerDown=${S=>P(S,M)}>
        <rect x=${x(s[1]-.5)} y=${k(s[0]-.5)} width=${w} height=${w} rx="3" />
        <circle cx=${x(s[1])} cy=${k(s[0])} r="3" />
      </g>
      ${t.map((S,_)=>d`<g class=${`heads-knob ${dt(_)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${_}
        aria-label=${`Head ${_+1}: ${zn(S.centre)}, width ${L(Pn(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>u(_)} onKeyDown=${C(_)} onPointerDown=${v(_)}>
        <${ci} head=${_} at=${F(S.centre)} />
      </g>`)}
      ${t[r]&&d`<g class=${`heads-knob chosen ${dt(r)}`} aria-hidden="true"><${ci} head=${r} at=${[T,D]} /></g>
        <${qu} precision=${t[r].precision} cx=${T} cy=${D} scale=${w} size=${b} onGrab=${E} />`}
    </svg>`}
    <p id=${y} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function Du({head:t,centre:e,precision:n,query:s,x:r,y:o,scale:a,chosen:i}){let[l,c]=[r(e[1]+s[1]),o(e[0]+s[0])],p=(u,h)=>{let{long:m,short:f,angle:g}=$e(n,u);return d`<ellipse class=${h} rx=${m*a} ry=${f*a} stroke-dasharray=${h==="half"?Ln(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${g*180/Math.PI})`} />`};return d`<g class=${`${dt(t)} ${i?"chosen":""}`}>${p(.9,"most")}${p(.5,"half")}</g>`}var ci=({head:t,at:[e,n]})=>d`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function qu({precision:t,cx:e,cy:n,scale:s,size:r,onGrab:o}){let{long:a,angle:i}=$e(t,.5),l=Math.max(a*s,19),c=(g,$)=>Math.min(g,$)>6&&Math.max(g,$)<r-6,p=[i,i+Math.PI].map(g=>{let $=l;for(;$>19&&!c(e+$*Math.cos(g),n+$*Math.sin(g));)$-=4;return[Math.max($,19),g]}),[u,h]=p[0][0]>=p[1][0]?p[0]:p[1],[m,f]=[e+u*Math.cos(h),n+u*Math.sin(h)];return d`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${o}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var We=74;function ui({record:t,at:e,layer:n,onChange:s}){let r=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),o=We/(2*r+2),a=q(null),i=l=>{let c=me(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return d`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>d`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-We/2} ${-We/2} ${We} ${We}`} aria-hidden="true">
        <rect class="heads-here" x=${-o/2} y=${-o/2} width=${o} height=${o} />
        ${Ie(t,e,c).map(({centre:p,precision:u},h)=>{let{long:m,short:f,angle:g}=$e(u,.5);return d`<ellipse class=${dt(h)} stroke-dasharray=${Ln(h)&&"3 2"} rx=${Math.max(m*o,1.5)} ry=${Math.max(f*o,1.5)}
            transform=${`translate(${p[1]*o},${p[0]*o}) rotate(${g*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function hi(t,e,n){let[s,r]=j(null),o=q(null);o.current={index:e,onStep:n};let a=s!==null,i=t-1;return B(()=>{if(!a)return;let p=o.current.index>=i?0:o.current.index,u=Math.min(400,Math.max(40,7e3/Math.max(i,1))),h=null,m=o.current.index,f=$=>{h??=$;let y=Math.min(i,p+($-h)/u);Math.floor(y)!==m&&o.current.onStep(m=Math.floor(y)),r(y>=i?null:y),y<i&&(g=requestAnimationFrame(f))},g=requestAnimationFrame(f);return()=>cancelAnimationFrame(g)},[a,i]),{at:s,isPlaying:a,toggle:()=>{Dt()?n(e>=i?0:e+1):r(a?null:e>=i?0:e)},stop:()=>r(null)}}function di({record:t,index:e,playing:n,onStep:s}){let[r,o]=et(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[p,u]=[8,o-8],h=x=>p+(u-p)*x/Math.max(a,1),m=(l??[]).filter(x=>x!==null),[f,g]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],$=x=>c-6-(c-12)*(x-f)/(g-f||1),y=ze().defined(x=>x!==null).x((x,k)=>h(k)).y($),w=Dt()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([x,k])=>[x.replace("_"," "),k[e]]).filter(([x,k])=>k!==null&&x!=="loss").map(([x,k],O)=>d`${O?" · ":""}${x} <b data-curve=${x}>${x==="accuracy"?`${(100*k).toFixed(1)} %`:L(k)}</b>`);return d`<div class="heads-course" ref=${r}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${w}</button><span class="hint">${Dt()?"":"or the space bar"}</span></div>
    <${at} label="Step" value=${e} min=${0} max=${a} step=${1} says=${x=>t.steps[x].toLocaleString("en")} onChange=${s} />
    ${l&&o>0&&d`<svg width=${o} height=${c} role="img" aria-label=${`${i} over training: ${L(m[0])} to ${L(m.at(-1))}`}>
      <line class="base" x1=${p} x2=${u} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${y(l)} />
      <line class="mark" x1=${h(n.at??e)} x2=${h(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&d`<circle class="dot curve-1" cx=${h(e)} cy=${$(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var ju=4,tr=t=>Number(t.toFixed(2)),Fu={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},mi=t=>typeof t=="string"?t:null;function Iu({ask:t,state:e,change:n,place:s}){let r={...e,run:mi(e.run),training:mi(e.training)},o=Y(t,"recorded",{}),a=o.response?.trainings??[],i=f=>f.run===r.run&&(r.training===null||f.training===r.training),l=r.run===null?a[0]:a.find(i),c=o.response&&a.some(f=>f.run===r.run)&&r.training,p=l?{run:l.run,training:l.training}:c?{run:r.run,training:r.training}:null,u=Y(t,"heads",p),h=X(()=>u.response&&Za(u.response),[u.response]);if(!h){let f=o.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",g=o.response&&!p&&!f&&`The run ${r.run} has recorded no gaussian heads; choose another.`,$=p??{run:r.run,training:""};return d`<${H} error=${o.error??u.error??(f||g||null)} waiting=${o.waiting||u.waiting}>reading the recording …<//>
      ${(u.error||g)&&a.length>0&&d`<${fi} trainings=${[$,...a]} request=${$} change=${n} />`}`}let m={ask:t,change:n,place:s,record:h,trainings:a,request:p,hasValues:l?.has_values??!1,error:u.error};return d`<${Bu} ...${m} state=${Wu(r,h)} />`}function Wu(t,{side:e,layers:n,heads:s,entries:r}){let o=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+r&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&ti(i.slice(2));return{...t,layer:se(t.layer,0,n-1,0),head:se(t.head,0,s-1,0),query:un(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(o)),step:Number.isFinite(t.step)?t.step:null}}function Bu({ask:t,state:e,change:n,place:s,record:r,trainings:o,request:a,hasValues:i,error:l}){let c=q(null),p=r.steps.length-1,{layer:u,head:h}=e,m=e.step===null?p:Math.max(0,r.steps.findLastIndex(A=>A<=e.step)),f=e.query??[r.side>>1,r.side>>1],g=A=>n({step:A===p?null:r.steps[A]}),$=hi(r.steps.length,m,g),y=(A,R)=>Ie(r,R,A).map((W,rt)=>Hu(W,e.moved[`${A}.${rt}`])),w=y(u,m),[b,x]=Uu($.at===null?w:y(u,$.at)),k=e.values==="trained"&&i?{...a,layer:u}:null,O=A=>({centres:y(A,m).map(R=>R.centre),precisions:y(A,m).map(R=>R.precision),h:r.side,w:r.side,query:f,values:k&&{...k,layer:A}}),M=bt(t,"kernel",O(u)),P=M.error?null:M.response,N=P?.header.heads.length===r.heads?P.header:null,v=N&&new Float32Array(P.data,P.offset,N.heads.length*N.h*N.w),E=Ku({state:e,change:n,record:r,layer:u,resting:w,found:N,glide:x}),C=w.every((A,R)=>e.moved[`${u}.${R}`])?w[h].precision[0]:null,z=Object.keys(e.moved).some(A=>A.startsWith(`${u}.`)),F=z&&e.moved[`${u}.${h}`]?null:r.steps.map((A,R)=>Ie(r,R,u)[h].centre),T=A=>{A.key!==" "||A.defaultPrevented||A.target.closest("button, select, summary, [role=button], input:not([type=range])")||(A.preventDefault(),$.toggle())},D=()=>[["recorded",{}],["heads",a],...Array.from({length:r.layers},(A,R)=>["kernel",O(R)])],S=()=>Xu(r,w,N,v),_=A=>n({query:A});return d`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${T}>
    <div class="heads-left">
      <${I} title="Training">
        <div class="stack">
          <${Rt} place=${s} what="choose another run"><${fi} trainings=${o} request=${a} change=${n} /><//>
          <${ui} record=${r} at=${$.at??m} layer=${u} onChange=${A=>n({layer:A})} />
          <${di} record=${r} index=${m} playing=${$} onStep=${A=>($.stop(),g(A))} />
        </div>
      <//>
      <div class="heads-below" data-unpictured><${I} title="Try it">
        <div class="stack heads-try">
          <${At} onClick=${E.convolve} off=${!N}>Make it a convolution<//>
          ${C!==null&&d`<${at} label="Sharpness" value=${Math.log10(C)} min=${-1} max=${1.5} step=${.02}
            says=${A=>L(10**A,2)} onChange=${A=>E.sharpen(Number((10**A).toPrecision(3)))} />`}
          <${At} onClick=${E.back} off=${!z}>Back to the training<//>
          ${i&&d`<${it} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${A=>n({values:A})} />`}
          ${r.image&&d`<${gt} label="Show the image" value=${e.image} onChange=${A=>n({image:A})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${I} title=${`Layer ${u+1}, step ${r.steps[m].toLocaleString("en")}${z?", heads moved":""}`}
        actions=${d`<${ct} name="heads" of=${c} numbers=${S} saves=${D} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each head looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${pi} heads=${b} side=${r.side} margin=${ni(r,u)} query=${f} chosen=${h}
          image=${e.image?r.image:null} trail=${F} at=${$.at??m}
          onPlace=${E.place} onNudge=${E.nudge} onWiden=${E.widen} onChoose=${E.choose} onQuery=${_} />
        <${Vu} head=${h} one=${w[h]} edits=${E} isRound=${r.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${H} error=${l} />
      <//>
      ${N&&d`<${I} title="Degenerate heads"><${ii} found=${N} onChoose=${E.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${N?d`
          <${I} title=${d`<span class=${`heads-dot ${dt(h)}`} />Head ${h+1} from the query`}>
            <${ri} found=${N} maps=${v} head=${h} ...${w[h]} onQuery=${_} />
          <//>
          <${I} title="The kernel that the heads make">
            <${oi} found=${N} chosen=${h} onChoose=${E.choose} />
          <//>
          <${I} title="Distance to a true convolution"><${ai} found=${N} isEven=${k===null} /><//>`:d`<${I} title="The kernel that the heads make">${s==="file"?d`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:d`<${H} error=${M.error} waiting=${M.waiting} />`}<//>`}
    </div>
  </div></div>`}var Hu=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function Uu(t){let[e,n]=j(1),s=q(t),r=e<1&&s.current.length===t.length?t.map((i,l)=>Qs(s.current[l],i,e*e*(3-2*e))):t,o=e<1;return B(()=>{if(!o)return;let i=null,l=p=>{i??=p;let u=Math.min(1,(p-i)/380+.001);n(u),u<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[o]),[r,()=>{Dt()||(s.current=r,n(0))}]}function Ku({state:t,change:e,record:n,layer:s,resting:r,found:o,glide:a}){let i=q(null);i.current={moved:t.moved,resting:r};let l=(h,m)=>{let f={...i.current.moved,[`${s}.${h}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map((g,$)=>$===h?m:g)},e({moved:f,head:h})},c=1.5*n.side,p=(h,m)=>l(h,{...i.current.resting[h],centre:m.map(f=>tr(Math.max(-c,Math.min(c,f))))}),u=h=>({...t.moved,...Object.fromEntries(r.map((m,f)=>[`${s}.${f}`,h(m,f)]))});return{choose:h=>e({head:h}),place:p,nudge:(h,m)=>p(h,i.current.resting[h].centre.map((f,g)=>f+m[g])),widen:(h,m,f)=>l(h,{...i.current.resting[h],precision:ei(f??i.current.resting[h].precision,m)}),sharpen:h=>e({moved:u(m=>[...m.centre,...Zs(n.entries,h)])}),convolve:()=>{a(),e({moved:u((h,m)=>[...o.heads[m].tap??h.centre,...Zs(n.entries,ju)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([h])=>!h.startsWith(`${s}.`)))})}}}function fi({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),o=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return d`<${st} label="Run" hidden value=${s(e)} options=${o} onChange=${a} />`}function Vu({head:t,one:e,edits:n,isRound:s}){let r=o=>a=>n.place(t,e.centre.map((i,l)=>l===o?a:i));return d`<div class="heads-numbers">
    <span><span class=${`heads-dot ${dt(t)}`} />Head ${t+1}</span>
    <label>row <${de} label=${`Row of head ${t+1}'s centre`} value=${tr(e.centre[0])} onChange=${r(0)} /></label>
    <label>column <${de} label=${`Column of head ${t+1}'s centre`} value=${tr(e.centre[1])} onChange=${r(1)} /></label>
    ${s&&d`<label>precision <${de} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05}
      onChange=${o=>n.widen(t,o/e.precision[0],e.precision)} /></label>`}
  </div>`}function Xu(t,e,n,s){let r=[t.steps.length,t.layers,t.heads],o={steps:{shape:[t.steps.length],data:t.steps},centres:{shape:[...r,2],data:t.centres},precisions:{shape:[...r,t.entries],data:t.precisions},centre:{shape:[t.heads,2],data:e.flatMap(h=>h.centre)},precision:{shape:[t.heads,t.entries],data:e.flatMap(h=>h.precision)}};if(!n)return o;let{heads:a,h:i,w:l,convolution:c,kernel_size:p}=n,u=h=>[h,{shape:[],data:[c[h]]}];return{...o,maps:{shape:[a.length,i,l],data:s},kernel_size:{shape:[p.length],data:p},taps:{shape:[a.length,2],data:a.flatMap(h=>h.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(h=>h.distance)},peaks:{shape:[a.length,2],data:a.flatMap(h=>h.peak??[null,null])},softness:{shape:[a.length],data:a.map(h=>h.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(u))}}var $i={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:Fu,View:Iu};var Gu=24*2**20,Ju="these maps are no longer in memory";function Yu({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];return t.type==="float32"?new Float32Array(e,n,s):t.type==="float16"?Float32Array.from(new Float16Array(e,n,s)):Float32Array.from(new Uint8Array(e,n,s),r=>(r/255)**2)}var er=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,r]of this.responses){if(this.size<=Gu||this.responses.size===1)break;this.responses.delete(s),this.size-=r.data.byteLength}}};function nr(t,e,n,s){let r=q(null);r.current??=new er;let o=q({response:null,of:null}),a=q({of:null,error:null}),[,i]=j(0),l=()=>i(h=>h+1),c=n&&JSON.stringify(n),p=c&&r.current.get(c);p?o.current={response:p,of:n.key}:n&&o.current.of!==n.key&&(o.current={response:null,of:null}),B(()=>{if(!c||r.current.get(c))return;let h=new AbortController,m=()=>t(e,JSON.parse(c),{signal:h.signal});return m().catch(async f=>{if(!f.message?.startsWith(Ju))throw f;return await t("maps",s,{signal:h.signal}),m()}).then(f=>(r.current.put(c,f),l()),f=>yt(f)||(a.current={of:c,error:f.message},l())),()=>h.abort()},[t,e,c]);let u=a.current.of===c?a.current.error:null;return{response:c&&!u?o.current.response:null,error:u,waiting:!!c&&!p&&!u}}function te(t,e,n){let{response:s,error:r,waiting:o}=nr(t,"tile",e,n),a=X(()=>s&&Yu(s),[s]);return{tile:s&&{...s.header,weights:a},error:r,waiting:o}}function gi(t,e,n){let{response:s,error:r,waiting:o}=nr(t,"overview",e,n);return{thumbs:X(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,p],u)=>Array.from({length:l},(h,m)=>{let f=new Uint8Array(s.data,i,c*p);return i+=c*p,{bytes:f,rows:c,columns:p,limit:s.header.limits[u][m]}}))},[s]),error:r,waiting:o}}function xi(t,e,n){let{response:s}=nr(t,"picture",e,n);return X(()=>{if(!s)return null;let{height:r,width:o}=s.header,a=new Uint8Array(s.data,s.offset,3*r*o),i=new ImageData(o,r);for(let l=0;l<r*o;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Rn(t,e=8){return Array.from(t.keys()).sort((s,r)=>t[r]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Dn=18,Ft=48;function yi({weights:t,rows:e,columns:n,rowNames:s,columnNames:r,first:o=0,start:a=0,width:i,pinned:l,limit:c,label:p,onPoint:u,onPin:h}){let m=J(),[f,g]=j(null),$=f??(l!==null&&l>=o&&l<o+e?l-o:null),y=Math.max(220,Math.min(i,640)),[w,b]=[y*.34,y*.66],x=Dn*Math.max(e,n)+8,k=Math.max(.02,c*.08),O=[];for(let T=0;T<e;T++)if(!($!==null&&T!==$))for(let D=0;D<n;D++){let S=t[T*n+D];Math.abs(S)>=($===null?k:.002)&&O.push([T,D,S])}let M=T=>4+Dn*(T+.5),P=T=>(g(T),u(T===null?null:T)),N=T=>{let D={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[T.key];D?(T.preventDefault(),P($===null?0:Math.max(0,Math.min(e-1,$+D)))):(T.key==="Enter"||T.key===" ")&&$!==null?(T.preventDefault(),h($)):T.key==="Escape"&&P(null)},v=(T,D)=>(T?.[D]??String(D+1)).slice(0,22),E=$===null?null:Math.max(...Array.from({length:n},(T,D)=>t[$*n+D])),C=O.slice().sort((T,D)=>D[2]-T[2]).slice(0,3).map(([,T,D])=>`${v(r,T)} ${L(D)}`),z=$===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${v(s,$)} looks at ${C.join(", ")}`,F=T=>Math.min(1,.08+Math.sqrt(Math.abs(T)/Math.max(c,Math.abs(T)))*($===null?.7:.9));return d`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${p} aria-describedby=${m}
    onKeyDown=${N} onBlur=${()=>P(null)} onPointerLeave=${()=>P(null)}>
    <svg width=${y} height=${x} aria-hidden="true">
      <g>${O.map(([T,D,S])=>d`<path d=${`M${w} ${M(T)}C${y/2} ${M(T)} ${y/2} ${M(D)} ${b} ${M(D)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${F(S)} />`)}</g>
      ${Array.from({length:e},(T,D)=>d`<g class=${`token${D===$?" now":$===null?"":" off"}`}
        onPointerEnter=${()=>P(D)} onClick=${()=>h(D)}>
        <rect x="0" y=${M(D)-Dn/2} width=${w} height=${Dn} /><text x=${w-8} y=${M(D)} dy="0.35em"
          text-anchor="end">${v(s,D)}</text></g>`)}
      ${Array.from({length:n},(T,D)=>{let S=$===null?null:t[$*n+D];return d`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===E?" now":""}`}>
          <text x=${b+8} y=${M(D)} dy="0.35em">${v(r,D)}</text>
          ${S!==null&&Math.abs(S)>=.002&&d`<text class="weight" x=${y-4} y=${M(D)} dy="0.35em"
            text-anchor="end">${L(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${z}</span>
  </div>`}function bi(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function Qu({most:t,signed:e}){let n=q(null);return pt(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),r=e?-t:0;for(let o=0;o<128;o++)s.data.set(bi(r+(t-r)*o/127,t,e),4*o);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),d`<div class="legend maps-veil"><span>${e?L(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${L(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function wi({image:t,weights:e,count:n,first:s,grid:r,query:o,limit:a,signed:i,side:l=400,label:c,onQuery:p,onPoint:u}){let h=ut(),[m,f]=[q(null),q(null)],g=J(),[$,y]=j(null),[w,b]=r,x=Math.min(l/w,l/b),[k,O]=[x*b,x*w],M=e.subarray(o*n,(o+1)*n),P=a??Math.max(...M.subarray(s),1e-9);pt(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),pt(()=>{[f.current.width,f.current.height]=[b,w];let T=new ImageData(b,w);for(let D=0;D<w*b;D++)T.data.set(bi(M[s+D],P,i),4*D);f.current.getContext("2d").putImageData(T,0,0)},[e,o,r,P,i,h]);let N=T=>{let D=f.current.getBoundingClientRect(),[S,_]=[Math.floor((T.clientY-D.top)/D.height*w),Math.floor((T.clientX-D.left)/D.width*b)];return S>=0&&_>=0&&S<w&&_<b?s+S*b+_:null},v=T=>(y(T),u(T===null?null:[o,T])),E=T=>{let D={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[T.key];if(!D)return;T.preventDefault();let _=(o<s?s:o)+D;_>=s&&_<n&&(y(null),p(_))},C=T=>T<s?"the class token":`row ${Math.floor((T-s)/b)+1}, column ${(T-s)%b+1}`,z=(T,D)=>T>=s&&d`<rect class=${D} x=${(T-s)%b*x}
    y=${Math.floor((T-s)/b)*x} width=${x} height=${x} />`,F=M.indexOf(Math.max(...M));return d`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${g}
    style=${{width:`${k}px`,height:`${O}px`}} onKeyDown=${E} onPointerMove=${T=>v(N(T))} onPointerLeave=${()=>v(null)}
    onClick=${T=>N(T)!==null&&p(N(T))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${k} height=${O} aria-hidden="true">${$!==null&&z($,"pointed")}${z(o,"query")}</svg>
    <span id=${g} class="unseen" aria-live="polite">${C(o)} looks most at ${C(F)}, ${L(M[F])}; the arrow keys choose the patch that looks</span>
  </div><${Qu} most=${P} signed=${i} />`}var[sr,rr,or,Zu]=[26,22,4,13],th=50;function ar({thumbs:t,minus:e,colour:n,layer:s,head:r,onChoose:o,label:a,width:i,tags:l,order:c,says:p}){let u=ut(),h=q(null),m=J(),[f,g]=j(null),[$,y]=c?[0,2]:[sr,rr],w=Math.max(...t.map(S=>S.length)),b=c?Math.min(c.length,Math.max(1,Math.floor(i/80))):w,x=Math.max(18,Math.min(84,Math.floor((i-$)/b)-or)),k=x>=th,[O,M]=[x+or,x+or+(k?Zu:0)],P=c?c.map(([S,_,A],R)=>({l:S,h:_,share:A,x:R%b*O,y:Math.floor(R/b)*M})):t.flatMap((S,_)=>S.map((A,R)=>({l:_,h:R,x:R*O,y:_*M}))),[N,v]=[b*O,Math.max(...P.map(({y:S})=>S))+M];pt(()=>{let S=Math.min(2,globalThis.devicePixelRatio||1),_=h.current;_.width=Math.round(N*S),_.height=Math.round(v*S);let A=_.getContext("2d");A.scale(S,S);for(let{l:R,h:W,x:rt,y:K}of P){let[Z,mt]=[t[R][W],e?.[R]?.[W]],ye=mt?sh(Z,mt):nh(Z,n);A.imageSmoothingEnabled=Z.columns>x*S,A.drawImage(ye,rt,K,x,x)}},[t,e,n,x,u,JSON.stringify(c)]);let E=S=>{let _=h.current.getBoundingClientRect(),[A,R]=[Math.floor((S.clientY-_.top)/M),Math.floor((S.clientX-_.left)/O)];return P.find(({x:W,y:rt})=>W===R*O&&rt===A*M)??null},C=P.findIndex(({l:S,h:_})=>S===s&&_===r),z=S=>{let _={ArrowUp:[0,-M],ArrowDown:[0,M],ArrowLeft:[-O,0],ArrowRight:[O,0],Home:[-N,0],End:[N,0]}[S.key];if(!_||!o)return;S.preventDefault();let{x:A,y:R}=P[Math.max(0,C)],W=P.filter(K=>K.y===Math.max(0,Math.min(v-M,R+_[1]))),rt=W[Math.max(0,Math.min(W.length-1,(A+_[0])/O))]??W.at(Math.sign(_[0])<0?0:-1);o(rt.l,rt.h)},F=({x:S,y:_},A)=>d`<rect class=${A} x=${$+S-2} y=${y+_-2} width=${x+4} height=${x+4} rx="4" />`,T=f??{l:s,h:r},D=({l:S,h:_,share:A})=>c?`${S+1}·${_+1}: ${Math.round(100*A)} %`:(l[S]?.[_]?.[0]??"").replace(" token","");return d`<div class="maps-overview" style=${{width:`${$+N}px`,height:`${y+v}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${m} data-heads=${`${t.length}x${w}`} onKeyDown=${z}
    onPointerMove=${S=>g(E(S))} onPointerLeave=${()=>g(null)}
    onClick=${S=>E(S)&&o?.(E(S).l,E(S).h)} aria-disabled=${o?null:"true"}>
    <canvas ref=${h} style=${{left:`${$}px`,top:`${y}px`,width:`${N}px`,height:`${v}px`}}></canvas>
    <svg width=${$+N} height=${y+v} aria-hidden="true">
      ${!c&&t.map((S,_)=>d`<text class=${_===s?"now":""} x=${sr-8} y=${rr+_*M+x/2} dy="0.35em"
        text-anchor="end">${_+1}</text>`)}
      ${!c&&Array.from({length:w},(S,_)=>d`<text class=${_===r?"now":""} x=${sr+_*O+x/2} y=${rr-8}
        text-anchor="middle">${_+1}</text>`)}
      ${P.map(({x:S,y:_})=>d`<rect class="cell" x=${$+S-.5} y=${y+_-.5} width=${x+1} height=${x+1} rx="2" />`)}
      ${k&&P.map(S=>d`<text class="tag" x=${$+S.x+x/2} y=${y+S.y+x+10} text-anchor="middle">${D(S)}</text>`)}
      ${f&&o&&F(f,"pointed")}${C>=0&&F(P[C],"chosen")}
    </svg>
    <span id=${m} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${r+1} of ${t[s]?.length}${o?"; use the arrow keys to move":""}</span>
  </div><p class="hint maps-told">${`Layer ${T.l+1}, head ${T.h+1}: ${p(T.l,T.h)||"no pattern stands out"}`}</p>`}var eh=()=>globalThis.document.createElement("canvas");function nh({bytes:t,rows:e,columns:n,limit:s},r){let o=new Uint32Array(Kt("weight").buffer),a=r==="own"&&s>0?1/Math.sqrt(s):1,i=Uint32Array.from({length:256},(l,c)=>o[Math.min(255,Math.round(c*a))]);return vi(e,n,l=>i[t[l]])}function sh(t,e){let n=new Uint32Array(Kt("signed").buffer),s=Math.max(t.limit,e.limit,1e-6);return vi(t.rows,t.columns,r=>{let o=(t.bytes[r]/255)**2-(e.bytes[r]/255)**2;return n[Math.max(0,Math.min(255,Math.round(255*(.5+o/s/2))))]})}function vi(t,e,n){let s=eh();[s.width,s.height]=[e,t];let r=new ImageData(e,t),o=new Uint32Array(r.data.buffer);for(let a=0;a<o.length;a++)o[a]=n(a);return s.getContext("2d").putImageData(r,0,0),s}var Et=40;function Mi({ask:t,sides:e,heads:n,kind:s,layer:r,head:o,state:a,change:i,actions:l,differs:c,says:p,isFile:u,isLarge:h}){let[m,f]=et(),g=rh(m),[$,y]=j(null),[w,b]=n.map(({tile:R})=>R),x=!!e[1].maps,[k,O]=e,M=s.layers[r].grid,P=e.map(({maps:R,request:W})=>xi(t,R?.pictured?{key:R.key}:null,W));B(()=>y(null),[k.maps?.key,O.maps?.key,s.name]);let N=w&&b&&String(w.shape)===String(b.shape),v=x&&a.compare==="difference",E=X(()=>v&&N?ch(w.weights,b.weights):null,[v,w?.weights,b?.weights]),C=[...M&&P[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],z=C.some(([R])=>R===a.show)?a.show:C[0][0],F=`Layer ${r+1}, head ${o+1}`,T={kind:s,layer:r,head:o,state:a,change:i,show:z,setPoint:y,grid:M,near:a.near,isFile:u,high:g},D=Math.max(w?.limit??0,x&&b?.limit||0),S=Math.max(160,x&&!v?(f-24)/2:f),_=v&&w&&b&&!N,A=($??a.pin)?.[0]??null;return d`<${I} title=${F} class="maps-head" actions=${d`<div class="row maps-nameless">${C.length>1&&d`<fieldset
    class="maps-held" disabled=${u&&h}><${it} label="Show as" value=${z} options=${C}
      onChange=${R=>i({show:R})} /></fieldset>`}${l}</div>`}>
    <div class="maps-split">
    <div ref=${m} class=${`maps-pair${x?" two":""}`}>
      ${w&&f>0&&(v&&!_?E&&d`<${ir} tile=${{...w,weights:E,limit:ph(E)}} signed maps=${k.maps} image=${P[0]}
          width=${S} name="First minus second" ...${T} />`:d`<${ir} tile=${{...w,limit:D}} maps=${k.maps} image=${P[0]} width=${_?(f-24)/2:S}
          name=${x?"First":null} ...${T} />
            ${x&&b&&d`<${ir} tile=${{...b,limit:D}} maps=${O.maps} image=${P[1]}
              width=${_?(f-24)/2:S} name="Second" ...${T} />`}`)}
    </div>
    <div class="maps-side">
    ${_&&d`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${w.shape.join(" × ")} and ${b.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${v&&!_&&c&&d`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${H} error=${n[0].error??n[1].error} />
    ${w&&d`${[w,x?b:null].map((R,W)=>R&&d`<${dh} key=${W} ask=${t} maps=${e[W].maps} kind=${s} layer=${r}
        head=${o} grid=${M} of=${x?["First: a","Second: a"][W]:"A"} says=${p[W]} />`)}
      <${hh} ask=${t} layer=${r} head=${o} show=${z} point=${$??a.pin} pinned=${!$}
        tiles=${[w,x?b:null]} sides=${e} kind=${s} />
      ${A!==null&&d`<${fh} ask=${t} sides=${e} kind=${s} layer=${r} head=${o} row=${A} isPinned=${a.pin?.[0]===A} isTwo=${x}
        onUnpin=${()=>(m.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[w,b]} />`}
      ${e.map((R,W)=>R.maps?.predicts&&R.isNow&&s.rows==="tokens"&&d`<${gh} key=${W} ask=${t} side=${R} row=${A}
        of=${x?["First: ","Second: "][W]:""} />`)}`}
    </div></div>
  </${I}>`}function rh(t){let[e,n]=j(1/0);return pt(()=>{let s=()=>{let o=t.current.getBoundingClientRect().top+globalThis.scrollY;n(o>.6*innerHeight?1/0:Math.max(320,innerHeight-o-70))},r=new ResizeObserver(s);return r.observe(document.documentElement),addEventListener("resize",s),()=>(r.disconnect(),removeEventListener("resize",s))},[]),e}function ir({tile:t,maps:e,image:n,width:s,name:r,signed:o,kind:a,layer:i,head:l,state:c,change:p,show:u,setPoint:h,grid:m,near:f,isFile:g,high:$}){let[y,w]=t.shape,b=(z,F)=>e.axes[z]?e.axes[z].slice(F):null,[x,k]=[b(a.rows,t.rows[0]),b(a.columns,t.columns[0])],O=o?t.limit:c.colour==="own"&&t.limit||1,M=`weights of layer ${i+1}, head ${l+1}${r?`, ${r}`:""}: ${a.rows} by ${a.columns}`,P=(z,F)=>p({pin:[t.rows[0]+z*t.pool,F===null?null:t.columns[0]+F*t.pool]}),N=(z,F)=>h(z==null?null:[t.rows[0]+z*t.pool,t.columns[0]+F*t.pool]),v=c.pin&&c.pin[1]!==null?Si(c.pin,t):null,E=a.layers[i],C;if(u==="picture"&&m&&n&&!f){let z=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),w-1);C=d`<${wi} image=${n} weights=${t.weights} count=${w} first=${e.first} grid=${m} query=${z}
      limit=${o||c.colour==="one"?O:null} signed=${o} side=${Math.min(s,440)} label=${M}
      onQuery=${F=>p({pin:[F,null]})} onPoint=${h} />
      ${e.first>0&&d`<button class="quiet" aria-pressed=${z<e.first}
        onClick=${()=>p({pin:[0,null]})}>From the class token</button>`}`}else if(u==="lines"){let z=y<E.rows||w<E.columns;C=d`${z&&d`<div class="row"><${_i} near=${f??[0,0]} whole=${E} change=${p} isFile=${g} fixed /></div>`}<${lh}
      tile=${t} rowNames=${x} columnNames=${k} width=${s} limit=${o?t.limit:t.limit||1} label=${M} state=${c}
      pin=${P} pointed=${h} />`}else{let z=Ia(m?null:x?.slice(0,y),Math.max(y,w),s-18),F=Math.min(z,$-ah(m?null:k?.slice(0,w),Math.min(z,$)/w)),T=Math.ceil(Math.max(y,w)/Math.max(F,64)),D=Xs(t.weights,y,w,T),S=m||T>1?[null,null]:[x?.slice(0,y),k?.slice(0,w)],_=(K,Z)=>{let mt=D.at?.[K*D.columns+Z];return mt?[Math.floor((mt-1)/w),(mt-1)%w]:[K*T,Z*T]},A=(K,Z)=>{let[mt,ye]=_(K,Z);return[x?.[mt*t.pool]??`${mt+1}`,k?.[ye*t.pool]??`${ye+1}`,L(t.weights[mt*w+ye])]},R=(K,Z)=>A(K,Z).join(" → ").replace(/ → (?!.* → )/,": "),W=(K,Z)=>d`${A(K,Z)[0]} → ${A(K,Z)[1]} <b>${A(K,Z)[2]}</b>`,rt=d`<${Mt} data=${D.data} rows=${D.rows} columns=${D.columns} scale=${o?"signed":"weight"} limit=${O}
      label=${M} side=${F} says=${R} tip=${W} titles=${oh} rowNames=${S[0]} columnNames=${S[1]}
        chosen=${v?.map(K=>Math.floor(K/T))} onChoose=${(K,Z)=>P(..._(K,Z))}
        onPoint=${(K,Z)=>K===null?N(null):N(..._(K,Z))} />`;C=d`${rt}
      <div class="row maps-under"><${fe} scale=${o?"signed":"weight"} limit=${O}
        label=${o?"first minus second":O<.995?"and above":"weight"} />
        ${Math.max(E.rows,E.columns)>Et&&d`<${_i} near=${f} whole=${E} pin=${c.pin} change=${p} isFile=${g} />`}</div>
      ${t.pool*T>1&&d`<p
        class="hint">Each pixel is the strongest of ${t.pool*T} × ${t.pool*T} weights; look closer to see each.</p>`}`}return d`<div class="maps-one">${r&&d`<h3>${r}</h3>`}${C}</div>`}var oh=["query ↓ looks","key → is looked at"];function ah(t,e){let n=Math.max(0,...(t??[]).map(s=>s.length));return 24+(e<9||!t?0:n*7.2>e?18+7.2*Math.min(13,n):18)}function _i({isFile:t,...e}){return d`<fieldset class="maps-held row" disabled=${t}><${ih} ...${e} /></fieldset>`}function ih({near:t,whole:e,pin:n,change:s,fixed:r}){if(!t){let o=(a,i)=>Math.max(0,Math.min(i-Et,Math.round((a??0)-Et/2)));return d`<button onClick=${()=>s({near:[o(n?.[0],e.rows),o(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return d`${!r&&d`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${at} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-Et+1)} step=${1}
      onChange=${o=>s({near:[o-1,t[1]]})} />
    <${at} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-Et+1)} step=${1}
      onChange=${o=>s({near:[t[0],o-1]})} />`}function lh({tile:t,rowNames:e,columnNames:n,width:s,limit:r,label:o,state:a,pin:i,pointed:l}){let[c,p]=t.shape,[u,h]=j(0),m=Math.max(c,p),f=Math.min(u,Math.max(0,m-Ft)),g=x=>[Math.min(f,Math.max(0,x-Ft)),Math.min(f+Ft,x)],[$,y]=[g(c),g(p)],w=X(()=>{let x=new Float32Array(($[1]-$[0])*(y[1]-y[0]));for(let k=$[0];k<$[1];k++)x.set(t.weights.subarray(k*p+y[0],k*p+y[1]),(k-$[0])*(y[1]-y[0]));return x},[t.weights,$[0],$[1],y[0],y[1]]),b=x=>Rn(w.subarray(x*(y[1]-y[0]),(x+1)*(y[1]-y[0])),1)[0]??0;return d`${m>Ft&&d`<${at} label="Tokens from" value=${f+1} min=${1} max=${m-Ft+1} step=${1}
    onChange=${x=>h(x-1)} />`}
    <${yi} weights=${w} rows=${$[1]-$[0]} columns=${y[1]-y[0]} rowNames=${e?.slice($[0])} columnNames=${n?.slice(y[0])}
      width=${s} limit=${r} label=${o}
      pinned=${a.pin?a.pin[0]-t.rows[0]-$[0]:null} first=${0}
      onPoint=${x=>l(x===null?null:[t.rows[0]+$[0]+x,t.columns[0]+y[0]+b(x)])} onPin=${x=>i($[0]+x,y[0]+b(x))} />
    <p class="hint">${m>Ft?`${Ft} tokens of each side; f`:"F"}aint weights have no line.</p>`}var ch=(t,e)=>t.map((n,s)=>n-e[s]),ph=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function Si([t,e],n){let[s,r]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&r>=0&&s<n.shape[0]&&r<n.shape[1]?[s,r]:null}var ki=(t,e,n)=>`${t.axes[e]?.[n]??""}`,qn=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?ki(t,n,s)||`${n} ${s+1}`:`${ki(t,n,s)}`,uh={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function hh({ask:t,layer:e,head:n,show:s,point:r,pinned:o,tiles:a,sides:i,kind:l}){let c=i[0].maps,p=r&&r[1]!==null&&a[0].pool>1?a[0].pool:0,u=p?{rows:[r[0],r[0]+p],columns:[r[1],r[1]+p],most:16}:null,h=te(t,u&&{key:c.key,kind:l.name,layer:e,head:n,...u},i[0].request),m=te(t,u&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...u}:null,i[1].request),f=h.tile&&r&&h.tile.rows[0]===r[0]&&h.tile.columns[0]===r[1];if(p&&f&&h.tile.pool===1){let x=Rn(h.tile.weights,1)[0]??0;r=[r[0]+Math.floor(x/h.tile.shape[1]),r[1]+x%h.tile.shape[1]],a=[h.tile,m.tile]}let g=r;if(!g||g[1]===null)return d`<p class="maps-reading hint">${uh[s]}</p>`;let $=a.map(x=>{let k=x&&Si(g,x);return k?x.weights[k[0]*x.shape[1]+k[1]]:null}),y=[qn(c,l,l.rows,g[0]),qn(c,l,l.columns,g[1])],w=l.layers[0].grid?"":` (${g[0]+1} → ${g[1]+1})`,b=a[0].pool>1?", the largest around":"";return d`<p class="maps-reading" data-reading>${o?"Pinned: ":""}<b>${y[0]}</b> → <b>${y[1]}</b><span
    class="hint">${w}${b}</span>
    <span class="maps-number" data-weight=${$[0]}>${L($[0],4)}</span>
    ${a[1]&&d`<span class="hint maps-and">second</span><span class="maps-number">${L($[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${$[1]===null?"–":L($[0]-$[1],4)}</span>`}</p>`}function dh({ask:t,maps:e,kind:n,layer:s,head:r,grid:o,of:a,says:i}){let{response:l}=Y(t,"facts",{key:e.key,kind:n.name,layer:s,head:r}),c=l&&n.rows===n.columns&&!o?`, ${L(l.distance,2)} tokens away on average`:"",p={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=l&&`${a} query looks at about ${L(2**l.entropy,2)} tokens: ${L(l.entropy,3)} bits of entropy${c}.${p}`;return d`${i&&d`<p class="maps-tags">${i.split(", ").map(h=>d`<span class="badge">${h}</span>`)}</p>`}
    <p class="hint maps-facts" data-entropy=${l?.entropy}>${u??" "}</p>`}function mh(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function fh({ask:t,sides:e,kind:n,layer:s,head:r,row:o,isPinned:a,isTwo:i,onUnpin:l,tiles:c}){let p=e.map(b=>b.maps?.kinds.find(x=>x.name===n.name)?.layers[s]),u=c.map((b,x)=>mh(b,p[x],o)),h=b=>{let x=e[b];return!u[b]&&p[b]&&o<p[b].rows&&r<p[b].heads?{key:x.maps.key,kind:n.name,layer:s,head:r,rows:[o,o+1],most:4096}:null},m=[te(t,h(0),e[0].request),te(t,i?h(1):null,e[1].request)],f=u[0]??m[0].tile?.weights;if(!f)return null;let g=i?u[1]??m[1].tile?.weights:null,$=e[0].maps,y=Rn(f,$h),w=f[y[0]]||1;return d`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${qn($,n,n.rows,o)}${n.layers[0].grid?"":` (${o+1})`} looks at most</h3>
      ${a&&d`<button class="quiet" onClick=${l}>Unpin</button>`}</div>
    <table class="lines" data-pinned=${a?o:null} data-looks=${o}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${g&&d`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${y.map(b=>d`<tr><td>${qn($,n,n.columns,b)}</td><td class="number">${b+1}</td><td
        class="number">${L(f[b],4)}</td>
        ${g&&d`<td class="number">${b<g.length?L(g[b],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*f[b]/w}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var $h=6;function gh({ask:t,side:e,row:n,of:s}){let{response:r,of:o}=Y(t,"next",{model:e.request.model,text:e.request.text}),a=e.maps.axes.tokens;if(!r||r.tokens.length!==a.length||JSON.parse(o).text!==e.request.text)return null;let i=n===null||n>=a.length?a.length-1:n;return d`<div class="maps-next" data-next=${i}><h3>${s}After ${a[i]} (${i+1}) the model expects</h3>
    <table><tbody>${r.tokens[i].map((l,c)=>d`<tr class=${l===a[i+1]?"now":""}><th scope="row">${l}</th>
      <td class="number">${(100*r.probabilities[i][c]).toFixed(1)} %</td><td class="maps-bar"><span style=${{width:`${100*r.probabilities[i][c]}%`}}></span></td></tr>`)}</tbody></table>
    ${a[i+1]!==void 0&&d`<p class="hint">Next in the text: ${a[i+1]}.</p>`}</div>`}var xh=8*2**20;function Ci(t,{model:e,text:n,target:s,image:r,step:o,picture:a},i){let l=jn(t,e);if(!l)return null;let c={model:l.name};if(o!==null&&l.steps.includes(o))return{...c,step:o};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:lr(l,r)};if(l.takes==="nothing")return c;let p=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:p,target:s}:{...c,text:p}}var lr=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function jn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function Ai(t,{text:e,target:n,image:s,step:r,picture:o}){let a={model:t.name,text:e,target:n,image:s,step:r,picture:o},i=t.examples.find(p=>p!==(e??t.examples[0]));if(!t.steps.includes(r)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(p=>p!==r);return c!==void 0?{...a,step:c}:{...a,image:yh(t,s,o),picture:""}}var yh=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function pr({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var bh=t=>t.length>240?`${t.slice(0,239)}…`:t;function ur({models:t,value:e,set:n,pictures:s,open:r,side:o,title:a,place:i,more:l}){let c=jn(t,e.model),p=$=>t.filter(y=>y.group===$).map(y=>[y.name,y.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,p($)]),h=e.step!==null&&c.steps.includes(e.step),m=$=>n({model:$,text:null,target:"",step:null}),f=o.maps?.caption,g=h&&o.isNow?pr(o):null;return d`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      <${st} label="Model" value=${c.name} options=${u} onChange=${m} />
      ${c.steps.length>0&&d`<${st} label="Training" value=${h?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...c.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!h&&c.takes!=="image"&&c.examples.length>1&&d`<${st} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...c.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
      ${l}
    </div>
    ${h||c.takes==="nothing"?null:c.takes==="image"?d`<${_h} one=${c} value=${e} set=${n} pictures=${s}
      open=${r} place=${i} />`:d`<${Ni} label=${c.takes==="letters"?"A string of a, b, c and d":c.takes==="pair"?"Source":"Text"}
        value=${e.text??c.examples[0]??""} onChange=${$=>n({text:$})} />`}
    ${!h&&c.takes==="pair"&&d`<${Ni} label="Target (empty: what the model writes)" value=${e.target} onChange=${$=>n({target:$})} />`}
    <${vh} side=${o} />
    ${g&&d`<p>Reads ${c.takes==="image"?"the recorded image":d`<span class="maps-read">${bh(g)}</span>, as it was recorded`}.</p>`}
    ${f&&!(g&&f==="as recorded")&&d`<p class="hint">${f}</p>`}
  </div>`}var wh=250;function Ni({label:t,value:e,onChange:n}){let s=J(),[r,o]=j(null),a=q(0);B(()=>()=>clearTimeout(a.current),[]);let i=p=>(clearTimeout(a.current),p!==null&&p!==e&&n(p)),l=({target:p})=>{o(p.value),clearTimeout(a.current),a.current=setTimeout(()=>i(p.value),wh)},c=r??e;return d`<div class="control maps-text"><label for=${s}>${t}</label>
    <textarea id=${s} rows=${Math.min(4,c.split(`
`).length)} spellcheck=${!1} maxlength="40000" value=${c} placeholder="type something: the maps follow"
      onInput=${l} onBlur=${()=>(i(r),o(null))}
      onKeyDown=${p=>p.key==="Enter"&&(p.ctrlKey||p.metaKey)&&i(r)}></textarea></div>`}function vh({side:{maps:t,isNow:e}}){let n=Math.max(0,...Object.values(t?.axes??{}).map(s=>s.length));return!e||!t?.context||n<=t.context?null:d`<p class="maps-warned" role="status">The model was made for up to ${t.context.toLocaleString("en")} tokens, and reads
    ${" "}${n.toLocaleString("en")}: what its heads do beyond was never trained.</p>`}function _h({one:t,value:e,set:n,pictures:s,open:r,place:o}){let a=J(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>xh)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>r(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},p=lr(t,e.image),u=s.has(e.picture)?e.picture:"",h=m=>n({picture:"",image:lr(t,m)});return d`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${p} onChange=${m=>h(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>h(p-1)} disabled=${p<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>h(p+1)} disabled=${p>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${u?u.slice(0,28):"Open a picture …"}</span></label>
    ${u&&d`<button class="quiet" onClick=${()=>h(p)}>Use the test image</button>`}
    ${u&&o==="page"&&d`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!u&&d`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&d`<p class="error">${i}</p>`}
  </div>`}var kh=8,cr=new WeakMap,Ti=(t,e)=>new Map([...Object.entries(e??{}),...cr.get(t)??[]]);function Ei(t,e,n){let s=cr.get(t)??new Map,r=e;for(let o=2;s.has(r)&&s.get(r)!==n;o++)r=`${e} (${o})`;return s.delete(r),cr.set(t,new Map([...s,[r,n]].slice(-kh))),r}var hr=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var zi={model:"",text:null,target:"",image:0,step:null,picture:""},Mh={...zi,other:null,compare:"side",kind:"",layer:null,head:null,by:"",show:"",colour:"own",pin:null,near:null},Ri=512,Sh=6*2**20;function Nh({ask:t,state:e,change:n,place:s}){let r=Y(t,"models",{}),o=r.response?.models??null,a=Ti(t,e.pictures),i=typeof e.other=="object"&&e.other?{...zi,...e.other}:null,l=Oi(t,o,e,a),c=Oi(t,o,i,a),p=Ah(l,c,e.kind),[u,h]=Th(p,e.layer,e.head),m=p?{...e,...Eh(p.layers[u],e)}:e,f=Pi(t,l,p,u,h,m),g=Pi(t,c,p,u,h,m),$=q(null);if(r.error)return d`<${H} error=${r.error} />`;if(!o)return d`<${H} waiting=${r.waiting} />`;if(!o.length)return d`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let y=C=>"model"in C?{layer:null,head:null,by:""}:p?{layer:u,head:h}:{},w=C=>n({...C,...y(C),pin:null,near:null}),b=C=>n({other:{...i,...C},pin:null,near:null}),x=C=>n({other:C?Ai(jn(o,e.model),e):null,near:null}),k=[e.picture,i?.picture],O=C=>(z,F)=>{let T=Ei(t,z,F);s==="notebook"&&n({pictures:{...hr(a,k),[T]:F}}),C({picture:T})},M=s==="file",P=qi(l,c),N=[l,c],v=[l,c].filter(C=>C.maps),E=d`<fieldset class="maps-held" disabled=${M}><${gt} label="Compare with a second text, model or checkpoint" value=${i!==null}
    onChange=${x} /></fieldset>`;return d`<div class=${`maps${i?" two":""}`} ref=${$}>
    <${I} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${M}>
        <${ur} title=${i?"First":"Model and input"} models=${o} value=${e} set=${w} pictures=${a}
          open=${O(w)} side=${l} place=${s} more=${i?null:E} />
        ${i&&d`<${ur} title="Second" models=${o} value=${i} set=${b} pictures=${a}
          open=${O(b)} side=${c} place=${s} />`}
      </fieldset>
      ${(i||M)&&d`<div class="row maps-nameless">
        ${i&&d`${E}<${it} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${C=>n({compare:C})} />`}
        ${M&&d`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>`}
      <${H} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${I}>
    ${p&&d`
      <${Oh} ask=${t} sides=${v} kind=${p} layer=${u} head=${h} state=${m}
        kinds=${P} change=${n} isFile=${M} />
      <${Mi} ask=${t} sides=${N} heads=${[f,g]} kind=${p} layer=${u} head=${h} state=${m} change=${n}
        differs=${Ch(l,c)} says=${N.map(C=>C.maps?dr(Be(C.maps,p),u,h):"")} isFile=${M} isLarge=${Fi(p.layers[u])}
        actions=${d`<${ct} name=${`maps-layer-${u+1}-head-${h+1}`} of=${$} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:hr(a,k)}}
          numbers=${()=>Rh([f,g],[l,c],p)} saves=${()=>Dh(v,p,u,h,m)} />`} />`}
  </div>`}function Oi(t,e,n,s){let r=e&&n?Ci(e,n,s):null,{response:o,error:a,waiting:i,of:l}=Y(t,"maps",r),c=r&&JSON.stringify(r),p=!!r&&l===c;return{request:r,isNow:p,maps:r&&(p||!a)?o:null,error:r?a:null,waiting:!!r&&i}}function Ch(t,e){let[n,s]=[t,e].map(r=>r.isNow?pr(r):null);return n!==null&&s!==null&&n!==s}function Pi(t,e,n,s,r,o){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&r<a.layers[s].heads;return te(t,i?Di(e.maps,a,s,r,o):null,e.request)}function Di(t,e,n,s,{near:r,show:o}){let{rows:a,columns:i}=e.layers[n],l=ji({rows:a,columns:i},r)??(o==="lines"&&Fi({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+Et],columns:[l[1],l[1]+Et]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:Ri}}var qi=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function Ah(t,e,n){let s=qi(t,e),r=[t,e];return s.find(o=>o.name===n)??s.find(o=>o.name==="cross")??s[0]??null}var He=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function Th(t,e,n){if(!t)return[0,0];if(!Number.isFinite(e)&&!Number.isFinite(n))return t.telling;let s=He(e,t.layers.length);return[s,He(n,t.layers[s].heads)]}function Eh({rows:t,columns:e},{pin:n,near:s}){let r=typeof n?.[1]=="number"?He(n[1],e):null;return{pin:Array.isArray(n)?[He(n[0],t),r]:null,near:ji({rows:t,columns:e},s)}}var ji=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,r)=>He(n[r],Math.max(1,s-Et+1))):null,Fi=({rows:t,columns:e})=>Math.max(t,e)>Ri;function Oh({ask:t,sides:e,kind:n,kinds:s,layer:r,head:o,state:a,change:i,isFile:l}){let[c,p]=et(),u=[0,1].map(M=>gi(t,e[M]?{key:e[M].maps.key,kind:n.name}:null,e[M]?.request)),h=l&&!e.every(({maps:M})=>Ii(Be(M,n),a)),m=h?"head":l&&s.length>1?"kind":null,f=h?null:(M,P)=>i({layer:M,head:P}),[g,$]=u.map(M=>M.thumbs),y=e.length>1&&a.compare==="difference"&&g&&$&&zh(g,$),w=`${n.layers.length} layers of heads, ${n.title}`,{patterns:b,order:x,isWeak:k}=Lh(n,a.by),O={colour:a.colour,layer:r,head:o,onChoose:f,width:Math.max(p,120),tags:n.layers.map(M=>M.tags),order:x,says:(M,P)=>dr(n,M,P)};return d`<${I} title="All heads" class="maps-all" >
    ${s.length>1&&d`<fieldset class="maps-held maps-nameless" disabled=${l}><${it} label="Kind" value=${n.name}
      options=${s.map(M=>[M.name,M.title])} onChange=${M=>i({kind:M,layer:null,head:null,by:"",pin:null,near:null})} /></fieldset>`}
    ${b.length>0&&d`<${st} label="Show" value=${x?a.by:""} onChange=${M=>i({by:M})}
      options=${[["","all: layer ↓, head →"],["Sorted by what they look at",b.map(([M,P])=>[M,`${M} (${P})`])]]} />`}
    ${k&&d`<p class="hint">No head puts clearly more there than even attention would: these put most.</p>`}
    <div ref=${c} class="maps-grids">
      ${g&&p>0&&d`<div>${e.length>1&&d`<h3>${y?"First minus second":"First"}</h3>`}
        <${ar} thumbs=${g} minus=${y?$:null} label=${w} ...${O} /></div>`}
      ${$&&p>0&&e.length>1&&!y&&d`<div><h3>Second</h3><${ar} thumbs=${$}
        label=${`${w}, second`} ...${O} order=${x?.filter(([M,P])=>$[M]?.[P])??null} tags=${Be(e[1].maps,n).layers.map(M=>M.tags)}
        says=${(M,P)=>dr(Be(e[1].maps,n),M,P)} /></div>`}
    </div>
    ${m&&d`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${H} error=${u[0].error??u[1].error} />
    <${it} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${M=>i({colour:M})} />
  </${I}>`}var Ph=8;function Lh({layers:t},e){let n=t.flatMap((i,l)=>Array.from({length:i.heads},(c,p)=>[l,p])),s=i=>n.filter(([l,c])=>t[l].tags[c].includes(i)),r=Object.keys(t[0].scores).map(i=>[i,s(i).length]);if(!r.some(([i])=>i===e))return{patterns:r,order:null,isWeak:!1};let o=i=>i.map(([l,c])=>[l,c,t[l].scores[e]?.[c]??0]).sort((l,c)=>c[2]-l[2]),a=o(s(e));return{patterns:r,order:a.length?a:o(n).slice(0,Ph),isWeak:!a.length}}var dr=({layers:t},e,n)=>t[e]?.tags[n]?.map(s=>`${s} ${Math.round(100*t[e].scores[s][n])} %`).join(", ")??"",Li=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),zh=(t,e)=>Li(t)===Li(e);function Rh(t,e,n){let s={};return t.forEach(({tile:r},o)=>{if(!r)return;let a=(i,[l,c])=>e[o].maps.axes[i]?.slice(l,c).filter((p,u)=>u%r.pool===0);s[o?"second":"weights"]={shape:r.shape,data:r.weights,rows:a(n.rows,r.rows),columns:a(n.columns,r.columns)}}),s}var Be=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,Ii=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=Sh;function Dh(t,e,n,s,r){let o=[["models",{}]];for(let{request:a,maps:i}of t){let l=Be(i,e),c=l.layers.flatMap((p,u)=>Array.from({length:p.heads},(h,m)=>[u,m]));o.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&o.push(["picture",{key:i.key}]),i.predicts&&o.push(["next",{model:a.model,text:a.text}]);for(let[p,u]of Ii(l,r)?c:[[n,s]])o.push(["tile",Di(i,l,p,u,r)],["facts",{key:i.key,kind:e.name,layer:p,head:u}]);r.pin&&o.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[r.pin[0],r.pin[0]+1],most:4096}])}return o}var Wi={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture: point at a token to read its numbers.",state:Mh,View:Nh};var Bi=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function qh(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,r]=Bi.find(([o])=>Math.abs(n)>=o*.9999999)??Bi.at(-1);return`${Number((n/s).toPrecision(3))} ${r}${e}`}var xt={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},U=t=>t.toLocaleString("en"),Fn=(t,e)=>`${Number((100*t/e).toPrecision(3))} %`;function mr({claim:t,place:e}){return!t||e!=="page"?null:d` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function It({label:t,value:e,values:n,onChange:s,says:r=U}){let o=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return d`<${at} label=${t} value=${o} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>r(a===o?e:n[a])} />`}function fr(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Ue=["flops","bytes","memory","seconds"];function Ui({found:t,saving:e}){let n=q(null),s=t.response,r=s?.candidates.filter(l=>l.refusal===null)??[],o=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&d`<${ct} name="plan" of=${n} numbers=${()=>{let l=r.flatMap(c=>Ue.map(p=>c[p]));return{plan:{shape:[r.length,Ue.length],data:l,rows:r.map(c=>c.name),columns:Ue}}}} ...${e} />`;return d`<${I} title="The plan" actions=${i}>
    <${H} error=${t.error} waiting=${!s&&t.waiting} />
    ${s&&d`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is the fastest exact way here.${Fh(s)}</p>
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${U(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Ue.map(l=>d`<th class="number" title=${xt[l].about}>${xt[l].name}</th>`)}</tr></thead>
        <tbody>
          ${r.map(l=>d`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&d` <span class="badge">chosen</span>`}</th>
            <${Hi} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${Hi} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${o.length>0&&d`<details class="patterns-refused"><summary>${o.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${o.map(l=>d`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function Hi({one:t}){return Ue.map(e=>d`<td class="number" data-cost=${`${t.name} ${e}`} title=${jh(t[e],e)}>
    ${qh(t[e],xt[e].unit)}</td>`)}var jh=(t,e)=>e==="seconds"?`${t} s`:`${U(t)} ${xt[e].unit}`;function Fh(t){let[e]=t.candidates,n=(r,o)=>{let a=Number((t.full[r]/e[r]).toPrecision(2));return Number.isFinite(a)&&a!==1?[`${a} times the ${o}`]:[]},s=[...n("flops","FLOPs"),...n("memory","memory"),...n("seconds","predicted time")];return s.length?` Full attention takes ${s.join(", ").replace(/, ([^,]*)$/," and $1")}.`:""}var Ki=["①","②","③","④"],Ih=t=>Math.abs(t)>=1e7?Cn(t):L(t);function Vi({found:t,request:e,quantity:n,compare:s,change:r,saving:o,place:a}){let i=q(null),l=t.response,c=l?Wh(l,n,s):[],p=l&&s==="full"?Hh(l,n):[],h=l&&d`<${ct} name="growth" of=${i} numbers=${()=>{let m=$=>Object.keys(xt).map(y=>({name:`${$.name}, ${y}`,data:$[y]})),f=l.curves.flatMap(m).filter($=>$.data.some(y=>y!==null)),g=l.tokens.flatMap(($,y)=>f.map(w=>w.data[y]));return{growth:{shape:[l.tokens.length,f.length],data:g,rows:l.tokens,columns:f.map($=>$.name)}}}} ...${o} />`;return d`<${I} title="How the cost grows" actions=${h}>
    <div class="row patterns-choices">
      <${it} label="Show" value=${n} options=${Object.entries(xt).map(([m,f])=>[m,f.name])}
        onChange=${m=>r({quantity:m})} />
      <${it} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>r({compare:m})} />
    </div>
    <${H} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${i}>
      <p class="patterns-axis">${xt[n].axis} <span aria-hidden="true">↑</span></p>
      <${Ct} series=${c} label=${`${xt[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Ih} marks=${Bh(p)} />
      ${p.length>0&&d`<ol class="patterns-crossings">
        ${p.map((m,f)=>d`<li><span aria-hidden="true">${Ki[f]}</span><span><${Kh} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${Vh} curves=${c} />${s==="full"?` ${Xh(l)}`:""}</p>
    </div>`}
  <//>`}function Wh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],r=xt[e].times??1,o=a=>a.map(i=>i===null?NaN:i*r);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:o(a[e]),exponent:a.exponent[e]}))}function Bh(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${Ki[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function Hh(t,e){let n=t.crossings.filter(r=>r.quantity===e&&(r.more||r.right!=="projections")),s=!n.some(r=>r.left==="this mechanism"&&r.right==="full attention")&&Uh(t,e);return n.filter(r=>!(s&&r.left==="this mechanism")).sort((r,o)=>r.tokens-o.tokens)}function Uh(t,e){let[n,s]=["ours","full"].map(r=>t.curves.find(o=>o.kind===r)[e]);return n.every((r,o)=>r===s[o])}function Kh({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",r=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",o=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${o}${a}`;return d`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${U(t.tokens)}</b> ${i}<${mr} claim=${r} place=${n} />.`}function Vh({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?d`At the end they grow as ${e.map((n,s)=>d`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function Xh(t){let n=t.chosen.map((s,r)=>[s,t.tokens[r]]).filter(([s],r)=>s&&s!==t.chosen[r-1]).map(([s,r],o)=>o?`${s} from ${U(r)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${U(t.tokens.at(-1))} tokens are compared.`}var In=[0,.1,.36],Gh=512,Jh="Point at the map, or use the arrow keys.",Yh=" Press Enter to follow that query through the layers below.";function Xi({found:t,request:e,output:n,onChoose:s,saving:r}){let o=q(null),{header:a,levels:i}=X(()=>Zh(t.response),[t.response]),c=a&&d`<${ct} name="mask" of=${o} numbers=${()=>({mask:{shape:[a.rows,a.columns],data:i}})} ...${r} />`;return d`<${I} title="Who sees whom" actions=${c}>
    <${H} error=${t.error} waiting=${!a&&t.waiting} />
    ${a&&d`<${Qh} header=${a} levels=${i} request=${e} output=${n} picture=${o}
      onChoose=${r.place==="file"?null:s} />`}
  <//>`}function Qh({header:t,levels:e,request:n,output:s,onChoose:r,picture:o}){ut();let[a,i]=et(),[l,c]=j(null),p=X(()=>Float32Array.from(e,m=>In[m]),[e]),u=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,h=(m,f)=>nd(t,e,m,f,n.grid);return d`<div class="patterns-map" ref=${a}>
    <div ref=${o} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&d`<div class="patterns-framed">
        ${u!==null&&d`<span class="patterns-followed" style=${{top:`${100*(u+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${Mt} data=${p} rows=${t.rows} columns=${t.columns} side=${td(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${u===null?null:[u,u]}
          onChoose=${r&&(m=>r(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${h} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${gr} shade=${In[2]} />visible</li>
        ${t.cell>1&&d`<li><${gr} shade=${In[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${gr} shade=${In[0]} />hidden</li>
        ${t.cell>1&&d`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${$r} name="visible pairs" count="visible" value=${U(t.visible)} note=${`of ${U(t.pairs)}, ${Fn(t.visible,t.pairs)}`} />
        <${$r} name="keys that a query sees" count="most" value=${Gi(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${U(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${$r} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${U(t.visited)}
          note=${`of ${U(t.blocks)}; they hold ${U(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?h(...l):d`<span class="hint">${Jh}${r&&Yh}</span>`}</p>
      ${t.batch&&d`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var $r=({name:t,count:e,value:n,note:s})=>d`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function Zh(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function td(t,e){let n=Math.min(Gh,e);return t.rows>40?t.rows*Math.max(1,Math.floor(n/t.rows)):n}var Gi=(t,e)=>t===e?U(t):`${U(t)} to ${U(e)}`,ed=["hidden","visible in part","visible"];function nd(t,e,n,s,r){let o=c=>{let[p,u]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return r&&t.cell===1?`(${Math.floor(p/r[1])}, ${p%r[1]})`:p===u?U(p):`${U(p)}–${U(u)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${o(n)}, ${t.cell===1?"key":"keys"} ${o(s)}: ${ed[e[n*t.columns+s]]}. The ${a} ${i} ${Gi(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function gr({shade:t}){return d`<span class="patterns-swatch" style=${{background:zt(t,"weight",1)}} aria-hidden="true"></span>`}var sd=450,rd="A token reaches an output if its value can get there through the layers, whatever the weights.",Wn=t=>`${t} ${t===1?"layer":"layers"}`;function Ji({found:t,state:e,change:n,clipped:s,saving:r}){let o=q(null),[a,i]=j(!1),{header:l,first:c}=X(()=>od(t.response),[t.response]),p=l?.depths.length??e.layers,u=Math.min(e.depth??p,p);B(()=>{if(!a)return;if(u>=p)return i(!1);let y=setTimeout(()=>n({depth:u+1}),sd);return()=>clearTimeout(y)},[a,u,p]);let h=()=>a?i(!1):(n({depth:u>=p?1:u}),i(!0)),m=()=>{let y=["fewest","mean","most","here","formula","convolution"],w=l.depths.flatMap(b=>y.map(x=>b[x]));return{reach:{shape:[p,y.length],data:w,rows:l.depths.map(b=>b.layers),columns:y}}},{place:f}=r,g=f==="file"?null:y=>n({output:y}),$=l&&d`<${ct} name="reach" of=${o} numbers=${m} ...${r} />`;return d`<${I} title="How far layers reach" actions=${$} note=${rd}>
    <div class="row patterns-choices">
      <${Rt} place=${f} noted=${!1}><${at} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${U}
        onChange=${y=>n({layers:y,depth:null})} /><//>
      <${at} label="Show after" value=${u} min=${1} max=${p} step=${1} says=${Wn}
        onChange=${y=>(i(!1),n({depth:y}))} />
      ${!Dt()&&d`<button onClick=${h} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${Rt} place=${f} noted=${!1}><${gt} label="residual connections" value=${e.residual}
        onChange=${y=>n({residual:y})} /><//>
    </div>
    <${Vt} place=${f} what="change the layers, or follow another token" />
    <${H} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${o} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${ad} header=${l} depth=${u} /></p>
      ${l.sides.length===2?d`<${id} header=${l} first=${c} depth=${u} onChoose=${g} />`:d`<${ld} header=${l} first=${c} depth=${u} onChoose=${g} />`}
      <${pd} header=${l} depth=${u} />
    </div>
    ${s&&d`<p class="hint">Computed for ${l.sides.map(U).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function od(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,r=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:r,count:e.tokens}}}var xr=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function ad({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${U(t.output)}`,o=`${n.here===t.tokens?"all":`${U(n.here)} of`} ${U(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${Fn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return d`After ${Wn(e)} <b data-reached=${n.here}>${o}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function id({header:t,first:e,depth:n,onChoose:s}){let[r,o]=t.sides,[a,i]=et(),l=X(()=>{let p=new Float32Array(t.tokens);for(let u=n;u>=1;u--)for(let h=0;h<t.tokens;h++)e.reached[(u-1)*t.tokens+h]&&(p[h]=xr(u,t.depths.length));return p},[e,n]),c=(p,u)=>{let h=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+p*o+u]);return`pixel (${p}, ${u}): ${h<0?"never reaches the output":`reaches it from layer ${h+1} on`}`};return d`<div class="patterns-field" ref=${a}>
    ${i>0&&d`<${Mt} data=${l} rows=${r} columns=${o} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${Wn(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/o),t.output%o]} onChoose=${s&&((p,u)=>s(p*o+u))} says=${c} />`}
    <${cd} header=${t} />
    ${s&&d`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function ld({header:t,first:e,depth:n,onChoose:s}){let r=ut(),o=q(null),[a,i]=et(),l=t.depths.length;pt(()=>{if(!i)return;let u=new Float32Array((l+1)*t.tokens);u[t.output]=1;for(let m=1;m<=n;m++){let f=xr(m,l);for(let g=0;g<t.tokens;g++)e.reached[(m-1)*t.tokens+g]&&(u[m*t.tokens+g]=f)}let h=Math.max(64,Math.min(t.tokens,Math.floor(i)));En(o.current,u,l+1,t.tokens,"weight",1,h)},[t,e,n,i,r]);let c=u=>{let h=u.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((u.clientX-h.left)/h.width*t.tokens))))},p=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return d`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${p}px`}} aria-hidden="true"><span>output</span><span>${Wn(l)}</span></div>
    <div ref=${a}><canvas ref=${o} role="img" style=${{height:`${p}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(u=>u.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${U(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${at} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${U} />
    </div>
  </div>`}function cd({header:t}){ut();let e=t.depths.length,n=s=>zt(xr(s,e),"weight",1);return d`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>d`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function pd({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),r=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&r.push({name:"by the formula",x:n,y:s("formula")}),r.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let o=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return o||r.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),d`<div class="patterns-growing">
    <${Ct} series=${r} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${L} />
    <p class="note">${t.formula!==null?d`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${o&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var yr=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],br=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],Zi={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},tl=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],ud=fr(16,131072),Yi=fr(4,128),Qi=[1,2,4,8,16,32,64],wr=4096,ge={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function hd(t){let e=s=>t[s].slice(0,300),n=(s,r,o)=>se(t[s],r,o,ge[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:un(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Ne(t.device,Object.keys(Zi),ge.device),dtype:Ne(t.dtype,tl.map(([s])=>s),ge.dtype),quantity:Ne(t.quantity,Object.keys(xt),ge.quantity),compare:Ne(t.compare,["full","algorithms"],ge.compare)}}function dd({ask:t,state:e,change:n,place:s}){let r=hd(e),o=Y(t,"presets",{}),a=md(r),i=bt(t,"mechanism",a.mechanism),l=bt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},p=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),u=q(null);p&&Object.keys(c).length===0&&(u.current=fd(r,a));let h=u.current,m=bt(t,"pattern",h?.pattern),f=bt(t,"plan",h?.plan),g=bt(t,"reach",h?.reach),$=Y(t,"growth",h?.growth),w={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(h)],ask:t,view:"patterns",state:r,place:s},b=g.response?.header.output??null;return d`<div class="sided patterns">
    <${Rt} class="patterns-left" place=${s}>
      <${gd} known=${o} state=${r} change=${n} wrong=${c} place=${s} />
      <${yd} devices=${o.response?.devices??[r.device]} state=${r} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!p)}>
      ${a.second&&d`<${Rt} class="patterns-turns" place=${s} noted=${!1}><${it} label="Mask, plan and cost of" value=${r.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${x=>n({shown:x})} /><//>`}
      ${h===null&&Object.keys(c).length>0&&d`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${Xi} found=${m} request=${h?.pattern} output=${b} onChoose=${x=>n({output:x})} saving=${w} />
      <${Ui} found=${f} saving=${w} />
      <${Vi} found=${$} request=${a.mechanism} quantity=${r.quantity} compare=${r.compare}
        change=${n} saving=${w} place=${s} />
      <${Ji} found=${g} state=${r} change=${n} clipped=${h!==null&&$d(r)} saving=${w} />
    </div>
  </div>`}function md({mask:t,second:e,shown:n,scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:p,dtype:u,backward:h}){let m={scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:p,dtype:u||null,backward:h},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function fd(t,{mechanism:e,masks:n}){let{tokens:s,...r}=e,o=el(t),a=o.grid?o.grid[0]*o.grid[1]:o.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...r,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...o,layers:t.layers,residual:t.residual,output:i}}}var el=({tokens:t,grid:e})=>e&&e[0]*e[1]>wr?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(wr)))}:{tokens:e?t:Math.min(t,wr),grid:e},$d=t=>JSON.stringify(el(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function gd({known:t,state:e,change:n,wrong:s,place:r}){let o=J(),a=t.response?.presets??[],i=h=>["mask","second","scores","weighting"].every(m=>h[m]===e[m])&&!!h.grid==!!e.grid,l=a.find(i),c=({mask:h,second:m,scores:f,weighting:g,tokens:$,grid:y,layers:w})=>n({mask:h,second:m,scores:f,weighting:g,tokens:$,grid:y,layers:w,depth:null,output:null,shown:0}),p=X(()=>(yr.includes(e.scores)?yr:[...yr,e.scores]).map(h=>[h,h]),[e.scores]),u=br.some(([h])=>h===e.weighting)?br:[...br,[e.weighting,e.weighting]];return d`<${I} title="Mechanism">
    <${H} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(h=>d`<label><input type="radio" name=${o} value=${h.name} checked=${h===l} onChange=${()=>c(h)} />
        <span>${h.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${mr} claim=${l?.claim} place=${r} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${Tt} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${h=>n({mask:h})} />
          <${Bn} text=${s.mask} /></div>
        <div><${Tt} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${h=>n({second:h,shown:h.trim()?e.shown:0})} /><${Bn} text=${s.second} /></div>
        <${xd} words=${t.response?.words??[]} />
      </div>
      <div><${st} label="Scores" value=${e.scores} options=${p} onChange=${h=>n({scores:h})} />
        <${Bn} text=${s.scores} /></div>
      <div><${st} label="Weights" value=${e.weighting} options=${u} onChange=${h=>n({weighting:h})} />
        <${Bn} text=${s.weighting} /></div>
    </div>
  <//>`}var Bn=({text:t})=>d`<div role="status" aria-live="polite">${t&&d`<p class="error patterns-wrong">${t}</p>`}</div>`;function xd({words:t}){return d`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>d`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function yd({devices:t,state:e,change:n}){let{grid:s}=e,r=o=>a=>n({grid:s.map((i,l)=>l===o?a:i),output:null});return d`<${I} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${gt} label="tokens on a grid" value=${s!==null} onChange=${o=>n({grid:o?[64,64]:null,output:null})} />
      ${s?d`<${It} label="Rows" value=${s[0]} values=${Yi} onChange=${r(0)} />
          <${It} label="Columns" value=${s[1]} values=${Yi} onChange=${r(1)} />`:d`<${It} label="Tokens N" value=${e.tokens} values=${ud} onChange=${o=>n({tokens:o,output:null})} />`}
      <${It} label="Heads" value=${e.heads} values=${Qi} onChange=${o=>n({heads:o})} />
      <${It} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${o=>n({width:o})} />
      <${It} label="Batch" value=${e.batch} values=${Qi} onChange=${o=>n({batch:o})} />
      <${It} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${o=>n({block:o})} />
      <${st} label="Machine" value=${e.device} options=${t.map(o=>[o,Zi[o]??o])}
        onChange=${o=>n({device:o})} />
      <${st} label="Numbers" value=${e.dtype} options=${tl} onChange=${o=>n({dtype:o})} />
      <${gt} label="include the backward pass" value=${e.backward} onChange=${o=>n({backward:o})} />
    </div>
  <//>`}var nl={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:ge,View:dd};function Ot({label:t,values:e,scale:n,limit:s,rowNames:r,columnNames:o,moved:a,chosen:i,onRow:l,digits:c=3,fixed:p=null}){ut();let u=s??Math.max(1e-12,...e.flat().map(m=>Math.abs(m??0))),h=m=>m===null?"−∞":p===null||Math.abs(m)>=1e3?L(m,c):m.toFixed(p).replace("-","−");return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${o&&d`<thead><tr>${r&&d`<td></td>`}${o.map(m=>d`<th scope="col"><span class="word" title=${m}>${m}</span></th>`)}</tr></thead>`}
    <tbody>${e.map((m,f)=>d`<tr class=${i===f?"chosen":""}>
        ${r&&d`<th scope="row">${l?d`<button class="quiet word" aria-pressed=${String(i===f)} title=${r[f]} onClick=${()=>l(f)}>${r[f]}</button>`:d`<span class="word" title=${r[f]}>${r[f]}</span>`}</th>`}
        ${m.map((g,$)=>d`<td><span class=${`value${a?a[f][$]?" moved":" still":""}`} title=${g===null?"hidden":String(g)}
            style=${n&&g!==null?{background:zt(g,n,u),color:ro(g,n,u)}:null}>${h(g)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function Ke({label:t,values:e,rowNames:n,chosen:s,onChange:r,onName:o,onRemoveRow:a,step:i=.1}){let l=(p,u,h)=>r(e.map((m,f)=>f===p?m.map((g,$)=>$===u?h:g):m)),c=(p,u)=>{let h=p.currentTarget.closest("table");a(u),requestAnimationFrame(()=>(h.querySelectorAll("button")[Math.min(u,e.length-2)]??h.querySelector("input"))?.focus())};return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    <tbody>${e.map((p,u)=>d`<tr class=${s===u?"chosen":""}>
        ${n&&d`<th scope="row"><input class="name" type="text" maxlength="40" spellcheck=${!1} aria-label=${`name of token ${u+1}`}
          value=${n[u]} onChange=${h=>o(u,h.target.value)} /></th>`}
        ${p.map((h,m)=>d`<td><${de} label=${`${t}, row ${u+1}, column ${m+1}`} value=${h} step=${i} onChange=${f=>l(u,m,f)} /></td>`)}
        ${a&&d`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${h=>c(h,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function sl({state:t,change:e,problem:n,names:s,edit:r,isSaved:o}){let a=ol(n.x[0].length,t.axes),i=n.x.map((c,p)=>({id:`x${p}`,...a.at(c),name:s[p],kind:"token"}));return d`<${I} title="Tokens in the plane" note="Drag a token: its query, key and value follow.">
    <${al} axes=${a} change=${e} />
    <${il} label="the tokens" points=${i} onMove=${o?()=>{}:(c,p,u)=>r({x:n.x.map((h,m)=>`x${m}`===c?a.put(h,p,u):h)})} xLabel=${`coordinate ${a.a+1}`}
      yLabel=${`coordinate ${a.b+1}`} height=${240} />
  <//>`}function rl({state:t,change:e,found:n,shown:s,names:r,isSaved:o}){let a=s.head,i=ol(n.q[a][0].length,t.axes),l=(u,h,m)=>s.noise?.on===u&&s.noise.index===h?m.map((f,g)=>f+s.noise.noise[g]):m,c=(u,h)=>h.map((m,f)=>{let g=l(u,f,m);return{id:`${u} ${f}`,...i.at(g),name:`${u} of ${r[f]}`,tag:`${u[0]} ${r[f]}`,kind:u,from:g===m?null:[m[i.a],m[i.b]]}}),p=(u,h,m)=>{let[f,g]=u.split(" "),$=n[f==="key"?"k":"q"][a][g],y=i.put($,h,m).map((w,b)=>Number((w-$[b]).toFixed(6)));e({noise:{on:f,index:Number(g),noise:y},hard:!1})};return d`<${I} title="Noise on a query or a key" note="Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked.">
    <${al} axes=${i} change=${e} />
    <${il} label="queries and keys" points=${[...c("query",n.q[a]),...c("key",n.k[a])]} onMove=${o?()=>{}:p}
      xLabel=${`coordinate ${i.a+1}`} yLabel=${`coordinate ${i.b+1}`} height=${260} />
    ${s.noise&&!o&&d`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function ol(t,e){let n=[];for(let a=0;a<t;a++)for(let i=a+1;i<t;i++)n.push([`${a},${i}`,`${a+1} and ${i+1}`]);let[s,r]=(n.find(([a])=>a===e)?.[0]??n[0]?.[0]??"0,0").split(",").map(Number);return{pairs:n,a:s,b:r,at:a=>({x:a[s]??0,y:a[r]??0}),put:(a,i,l)=>a.map((c,p)=>p===s?i:p===r?l:c)}}var al=({axes:{pairs:t,a:e,b:n},change:s})=>t.length>1&&d`<${st} label="Coordinates" value=${`${e},${n}`} options=${t} onChange=${r=>s({axes:r})} />`;function il({label:t,points:e,onMove:n,onChoose:s,chosen:r,xLabel:o,yLabel:a,step:i=.1,height:l=330}){let[c,p]=et(),[u,h]=j(null),m=q(null),f=1.18*Math.max(1,...e.flatMap(({x:N,y:v,from:E})=>[N,v,...E??[]].map(Math.abs))),g=u?.bound??f,$=Math.max(60,Math.min(p,560)/2),y=(Math.min(2*$,l)/2-8)/g,w=(N,v)=>Le().domain([-N/y,N/y]).range([(1-v)*N,(1+v)*N]),[b,x]=[w($,1),w(l/2,-1)],k=N=>e.some(v=>v!==N&&b(v.x)>=b(N.x)&&b(v.x)-b(N.x)<56&&Math.abs(x(v.y)-x(N.y))<15&&v.x!==N.x),O=N=>Number((Math.round(N/(i/2))*(i/2)).toFixed(4)),M=N=>{if(!u)return;let v=m.current.getBoundingClientRect();n(u.id,O(b.invert(N.clientX-v.left)),O(x.invert(N.clientY-v.top)))},P=(N,v)=>{let E={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[N.key];if(E){N.preventDefault();let C=N.shiftKey?10:1;n(v.id,Number((v.x+C*E[0]).toFixed(4)),Number((v.y+C*E[1]).toFixed(4)))}else(N.key==="Enter"||N.key===" ")&&(N.preventDefault(),s?.(v.id))};return d`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*$} height=${l} role="group" aria-label=${t} onPointerMove=${M}
      onPointerUp=${()=>h(null)} onPointerCancel=${()=>h(null)}>
      <g class="axes"><line x1="8" x2=${2*$-8} y1=${x(0)} y2=${x(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(N=>d`<text x=${b(N)} y=${x(0)+15} text-anchor="middle">${L(N)}</text>`)}
        ${x.ticks(5).filter(Boolean).map(N=>d`<text x=${b(0)-6} y=${x(N)} dy="0.35em" text-anchor="end">${L(N)}</text>`)}
        <text x=${2*$-8} y=${x(0)-7} text-anchor="end">${o}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(N=>N.from&&d`<g class="came"><circle cx=${b(N.from[0])} cy=${x(N.from[1])} r="5" /><line x1=${b(N.from[0])} y1=${x(N.from[1])} x2=${b(N.x)} y2=${x(N.y)} /></g>`)}
      ${e.map(N=>d`<g class=${`point ${N.kind}${r===N.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${N.name} at ${L(N.x)}, ${L(N.y)}; arrow keys move it`} data-point=${N.id}
        transform=${`translate(${b(N.x)},${x(N.y)})`} onKeyDown=${v=>P(v,N)}
        onPointerDown=${v=>{v.preventDefault(),v.currentTarget.focus(),m.current.setPointerCapture(v.pointerId),h({id:N.id,bound:g}),s?.(N.id)}}>
        ${N.kind==="key"?d`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:d`<circle r="8" />`}
        <text x=${k(N)?-12:12} y="-8" text-anchor=${k(N)?"end":"start"}>${N.tag??N.name}</text>
      </g>`)}
    </svg>
  </div>`}function ll({state:t,change:e,found:n,shown:s,names:r,isSaved:o}){let a=s.hard?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query, or move it with the arrow keys: this panel shows what changes.";return d`<div class="columns">
    ${n.jacobian&&d`<${bd} found=${n} shown=${s} names=${r} />`}
    <${rl} state=${t} change=${e} found=${n} shown=${s} names=${r} isSaved=${o} />
    ${n.moved?d`<${wd} found=${n} shown=${s} names=${r} change=${o?null:e} />`:d`<${I} class="wide playground-silence" title="What the noise changes" note=${a} />`}
  </div>`}function bd({found:t,shown:e,names:n}){let s=Math.sqrt(t.jacobian.flat().reduce((r,o)=>r+o*o,0));return d`<${I} title=${`How the weights of “${n[e.query]}” respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Ot} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${n} columnNames=${n} />
    <p class="note">Frobenius norm <b data-norm>${L(s,4)}</b>, at most 1 − Σa².</p>
  <//>`}function wd({found:t,shown:e,names:n,change:s}){let{moved:r}=t,o=e.x.length,a=r.moved.flat(),i=a.filter(Boolean).length,l=r.moved.filter(f=>f.some(Boolean)).length,{on:c,index:p,noise:u}=e.noise,h=Math.max(...r.predicted.flatMap((f,g)=>f.map(($,y)=>Math.abs($-r.weights[g][y])))),m=[["Weights after it","weights after the noise",{values:r.weights,scale:"weight",limit:1,moved:r.moved,columnNames:n,fixed:3}],["Their change","change of the weights",{values:r.change,scale:"signed",moved:r.moved,columnNames:n}],["Outputs after it","outputs after the noise",{values:r.outputs,moved:r.outputs.map((f,g)=>f.map(()=>r.outputs_moved[g]))}],["Added to the logits","added to the logits",{values:r.shift,scale:"signed",columnNames:n}],["To first order","change to first order",{values:r.first_order,scale:"signed",columnNames:n}]];return d`<${I} class="wide" title=${`Noise on the ${c} of “${n[p]}”`}
    note=${c==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${s&&d`<button onClick=${()=>s({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(f=>L(f)).join(", ")}): <b>${i} of ${a.length}</b> weights moved, of <b>${l} of ${o}</b> queries; <b>${r.outputs_moved.filter(Boolean).length} of ${o}</b> outputs. Σ(a′ − a)² = ${L(r.energy)}.</p>
    <div class="row playground-results">
      ${m.map(([f,g,$])=>d`<div><h3>${f}</h3><${Ot} label=${g} rowNames=${n} ...${$} /></div>`)}
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${L(h)}.</p>
  <//>`}var vr=[["tokens","Tokens"],["qkv","q, k, v"],["logits","q·k·β"],["softmax","Softmax"],["mix","Mix"]],vd=12,Wt=t=>`(${t.map(e=>L(e)).join(", ")})`,_d=t=>`${(100*t).toFixed(t>=.9995||t<5e-4?0:1)} %`,kd={tokens:({shown:t,names:e,at:n})=>d`Each word is a row of numbers: ${e[n]} is x = ${Wt(t.x[n])}.`,qkv:({found:t,h:e,names:n,at:s})=>d`Three matrices make of ${n[s]} a <b>query</b>, what it looks for, q = ${Wt(t.q[e][s])}; a <b>key</b>, what it is
    found by, k = ${Wt(t.k[e][s])}; a <b>value</b>, what it gives, v = ${Wt(t.v[e][s])}.`,logits:({found:t,shown:e,h:n,names:s,at:r})=>{let[o]=Hn(t.logits[n][r]),a=t.logits[n][r].filter(i=>i===null).length;return o===void 0?d`The mask hides every word from ${s[r]}.`:d`The query of ${s[r]} meets every key: β·q·k = ${L(t.beta,4)} · ${Wt(t.q[n][r])} · ${Wt(t.k[n][o])} = <b>${L(t.logits[n][r][o])}</b> for ${s[o]}, the largest${a?`; the mask hides ${a} of ${e.x.length}`:""}.`},softmax:({found:t,shown:e,h:n,names:s,at:r})=>{let[o]=Hn(t.logits[n][r]);if(o===void 0)return d`The mask hides every word from ${s[r]}: its weights are 0.`;let a=e.hard?"At β → ∞ the largest logit takes all":d`e<sup>${L(t.logits[n][r][o])}</sup> over the sum of all e<sup>logit</sup> is${" "}
      ${t.weights[n][r][o].toFixed(3)}; so the weights add up to 1`;return d`${a}: ${s[r]} looks at ${cl(t.weights[n][r],s)}.`},mix:({found:t,h:e,names:n,at:s})=>{let r=Hn(t.weights[e][s]).slice(0,2).map(o=>d`${t.weights[e][s][o].toFixed(3)}·v(${n[o]}) + `);return d`The output of ${n[s]} is the values, mixed by its weights: ${r}… = <b>${Wt(t.outputs[e][s])}</b>${t.merged?d`; W_O makes of all heads y = ${Wt(t.merged[s])}`:""}.`},"":({found:t,h:e,names:n,at:s})=>d`Every word looks at the others: <b>${n[s]}</b> looks at ${cl(t.weights[e][s],n)}, and takes that much of
    what they hold. Choose a word, or a step.`},Hn=t=>[...t.keys()].filter(e=>t[e]!==null).sort((e,n)=>t[n]-t[e]),cl=(t,e)=>Hn(t).slice(0,3).map((n,s)=>d`${s?", ":""}${e[n]} <b>${_d(t[n])}</b>`);function pl({found:t,shown:e,problem:n,names:s,at:r,step:o,change:a,choose:i,edit:l,isSaved:c}){let p=e.head,u={found:t,shown:e,h:p,names:s,at:r},h={rowNames:s,chosen:r,onRow:i},m=(g,$,y)=>d`<section class=${`stage${o===g?" lit":""}`} data-stage=${g}><h3>${$}</h3>${y}</section>`,f=e.hard?`q·k/√${t.q[p][0].length}`:"β·q·k";return d`<${I} class="playground-flow" title=${e.heads.length>1?`Head ${p+1}`:"The head"} actions=${d`<${Md} step=${o} change=${a} />`}>
    <p class="playground-told" role="status" data-told=${o}>${kd[o](u)}</p>
    <div class="flow">
      ${m("tokens","X, the tokens",d`<${Sd} problem=${n} at=${r} edit=${l} isSaved=${c} />`)}
      ${m("qkv","q, k, v",d`
        ${[["q","Q = X·W_Q","queries"],["k","K = X·W_K","keys"],["v","V = X·W_V","values"]].map(([g,$,y])=>d`<h4>${$}</h4>
          <${Ot} label=${y} values=${t[g][p]} ...${g==="q"?h:{rowNames:s}} fixed=${2} />`)}`)}
      ${m("logits",`Logits ${f}`,d`<${Ot} label="logits" values=${t.logits[p]} scale="signed" columnNames=${s} fixed=${2} ...${h} />
        <p class="hint">query ↓ asks, key → is asked</p>`)}
      ${m("softmax","Weights, softmax",d`<${Ot} label="weights" values=${t.weights[p]} scale="weight" limit=${1} columnNames=${s} fixed=${3} ...${h} />
        <p class="hint">each row adds up to 1</p>`)}
      ${m("mix","Outputs A·V",d`<${Ot} label="outputs" values=${t.outputs[p]} fixed=${2} ...${h} />`)}
      ${t.merged&&m("mix","Y, all heads · W_O",d`<${Ot} label="output" values=${t.merged} fixed=${2} ...${h} />`)}
    </div>
  <//>`}function Md({step:t,change:e}){return d`<ol class="playground-steps" aria-label="Steps">${vr.map(([n,s],r)=>d`<li><button aria-pressed=${String(t===n)}
    onClick=${()=>e({step:t===n?"":n})}>${r+1} ${s}</button></li>`)}</ol>`}function Sd({problem:{x:t,tokens:e},at:n,edit:s,isSaved:r}){let o=t.map((l,c)=>e?.[c]??`token ${c+1}`),a=(l,c)=>l.filter((p,u)=>u!==c),i=()=>s({x:[...t,t[0].map(()=>0)],tokens:[...o,`token ${t.length+1}`]});return d`<fieldset class="group" disabled=${r}>
    <${Ke} label="X" values=${t} rowNames=${o} chosen=${n} onChange=${l=>s({x:l})}
      onName=${(l,c)=>s({tokens:o.map((p,u)=>u===l&&c.trim()||p)})}
      onRemoveRow=${t.length>1?l=>s({x:a(t,l),tokens:a(o,l)}):null} />
    <${At} onClick=${i} off=${t.length>=vd}>Add a token<//>
    <p class="hint">Type, turn with the arrow keys, or drag a number sideways.</p>
  </fieldset>`}var dl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:null,step:"",deeper:!1,noise:null,axes:"0,1"},ul=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],Nd=4,xe=100,ml=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),Cd=t=>t<=0?0:Math.max(1,Math.min(xe-1,Math.round(1+98*(Math.log10(t)+2)/4))),fl=t=>t===xe?{hard:!0,beta:null}:{hard:!1,beta:ml(t)};function hl(t,e,n){let s=(a,i)=>Math.max(0,Math.min(Math.round(a)||0,i-1)),r=$l(e.noise)&&e.noise.noise.length===t.heads[0].q[0].length&&e.noise.index<t.x.length,o=t.tokens?.length===t.x.length?t.tokens:null;return{x:t.x,tokens:o,heads:t.heads,out:t.out,beta:e.beta===null||e.hard?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:s(e.head,t.heads.length),query:gl(e)?s(n,t.x.length):null,noise:r&&!e.hard?e.noise:null}}var Ad=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]),$l=t=>Array.isArray(t?.noise)&&Number.isInteger(t.index),gl=t=>t.deeper||$l(t.noise);function Td({ask:t,state:e,change:n,place:s}){let r=q(null),o=Y(t,"example",{}),a=Ad(e.problem)?e.problem:o.response,i=Number.isFinite(e.query)?e.query:o.response?.query??0,l=a&&hl(a,e,i),c=bt(t,"playground",l),p=c.response;if(!a||!p)return d`<${H} error=${o.error??c.error} waiting=${!0} />`;let u=JSON.parse(c.of),h=s==="file",m=u.x.map((x,k)=>u.tokens?.[k]??`token ${k+1}`),f=u.query??Math.max(0,Math.min(Math.round(i)||0,u.x.length-1)),g=x=>n({problem:{x:a.x,tokens:a.tokens,heads:a.heads,out:a.out,...x}}),$=()=>[["example",{}],...Array.from({length:xe+1},(x,k)=>["playground",hl(a,{...e,...fl(k)},i)]),["playground",l]],y=vr.some(([x])=>x===e.step)?e.step:"",w=gl(e),b={state:e,change:n,found:p,shown:u,problem:a,names:m,edit:g,isSaved:h};return d`<div class="playground" ref=${r}>
    <${I} class="playground-top">
      <${Ed} state=${e} change=${n} beta=${p.beta} problem=${a} edit=${g} isSaved=${h} />
      <${ct} name="playground" of=${r} numbers=${()=>Pd(p,u)} saves=${$} ask=${t} view="playground" state=${e} place=${s} />
      <${H} error=${c.error} />
    <//>
    <${pl} ...${b} at=${f} step=${y} choose=${h&&w?null:x=>n({query:x})} />
    <div class="columns">
      <${Od} problem=${a} head=${l.head} edit=${g} isSaved=${h} />
      <${sl} ...${b} />
    </div>
    <div data-unpictured><button class="playground-deeper" aria-expanded=${String(w)} disabled=${h}
      onClick=${()=>n(w?{deeper:!1,noise:null}:{deeper:!0})}>${w?"▾":"▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${w&&d`<${ll} ...${b} />`}
  </div>`}function Ed({state:t,change:e,beta:n,problem:s,edit:r,isSaved:o}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?xe:Cd(i),c=s.heads.length,p=!ul.some(([g])=>g===t.mask),[u,h]=j(p),m=()=>{let[g,$]=[s.heads[0].q.length,s.heads[0].q[0].length],y=(x,k)=>Array.from({length:x},(O,M)=>Array.from({length:k},(P,N)=>M%k===N?1:0)),w=s.heads[0].v[0].length,b=s.out&&[...s.out,...y(w,s.out[0].length)];r({heads:[...s.heads,{q:y(g,$),k:y(g,$),v:y(g,w)}],out:b}),e({head:c})},f=()=>{let g=s.heads[0].v[0].length,$=Math.min(t.head,c-1);r({heads:s.heads.filter((y,w)=>w!==$),out:s.out?.filter((y,w)=>Math.floor(w/g)!==$)??null}),e({head:Math.max(0,$-1)})};return d`<div class="playground-controls">
    <div class="playground-beta">
      <${at} label="β" min="0" max=${xe} step="1" value=${l} onChange=${g=>e(fl(g))}
        says=${g=>g===xe?"hard":g===l?L(i,4):L(ml(g))} />
      <${At} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${o||t.beta===null&&!t.hard}>back to 1/√${a}<//>
    </div>
    <p class="hint">${o?"Saved from regard: the slider and the steps work; run regard explore to change anything else.":"β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest."}</p>
    <fieldset class="group row" disabled=${o}>
      <${it} label="Mask" value=${u?"custom":t.mask} options=${[...ul,["custom","write one"]]}
        onChange=${g=>(h(g==="custom"),g!=="custom"&&e({mask:g}))} />
      ${u&&d`<${Tt} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${g=>e({mask:g})} />`}
      <span class="row playground-heads"><${it} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map((g,$)=>[$,$+1])}
        onChange=${g=>e({head:g,noise:null})} />
        <${At} onClick=${m} off=${c>=Nd} aria-label="add a head">+<//><${At} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
      <button onClick=${()=>(h(!1),e({...dl}))}>Reset to the worked example</button>
    </fieldset>
  </div>`}function Od({problem:t,head:e,edit:n,isSaved:s}){let{heads:r,out:o}=t,a=i=>l=>n({heads:r.map((c,p)=>p===e?{...c,[i]:l}:c)});return d`<${I} title="Matrices you can change" note="W_Q, W_K and W_V belong to the head; W_O mixes the outputs of all heads.">
    <fieldset class="row playground-results group" disabled=${s}>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([i,l])=>d`<div><h3>${l}${r.length>1?` of head ${e+1}`:""}</h3><${Ke} label=${l} values=${r[e][i]} onChange=${a(i)} /></div>`)}
      ${o&&d`<div><h3>W_O</h3><${Ke} label="W_O" values=${o} onChange=${i=>n({out:i})} /></div>`}
    </fieldset>
  <//>`}function Pd(t,e){let n=o=>Array.isArray(o)?o.flatMap(n):[o],s=o=>Array.isArray(o)?[o.length,...s(o[0])]:[],r={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs};return t.jacobian&&(r.jacobian=t.jacobian),t.merged&&(r.merged=t.merged),t.moved&&Object.assign(r,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(r).map(([o,a])=>[o,{shape:s(a),data:n(a)}]))}var xl={name:"playground",title:"Playground",about:"One head of attention, from the words to what they become: change any number.",state:dl,View:Td};var yl=["loss","rate","gradient"],_r=36,Ld=800;function Un(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(r=>[...t.get(r)??[]].map(([o,a])=>({run:r,name:e.length>1?`${r} · ${o}`:o,...a}))).filter(r=>s.every(o=>r.name.toLowerCase().includes(o)))}function _l({curves:t,names:e,state:n,change:s}){let r=Un(t,e,""),o=Un(t,e,n.only),a=Dd(o.slice(0,_r)),i=[...new Set(r.flatMap(h=>Object.keys(h.columns)))],l=yl.filter(h=>i.includes(h)),c=i.filter(h=>h!=="step"&&!yl.includes(h)),p=l.includes(n.metric)?n.metric:l[0],u=c.includes(n.evaluated)?n.evaluated:c[0];return l.length?d`<div>
    <div class="row runs-controls" data-unpictured>
      <${gt} label="Logarithmic" value=${n.log} onChange=${h=>s({log:h})} />
      <${at} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${h=>s({smoothing:h})}
        says=${h=>h?L(h,2):"none"} />
      ${r.length>3&&d`<${Tt} label=${`Only curves with these words, of ${r.length}`} value=${n.only} live max=${100}
        placeholder=${Rd(r)} onChange=${h=>s({only:h})} />`}
    </div>
    ${o.length>_r&&d`<p class="hint">The first ${_r} of ${o.length} curves are drawn; filter them above.</p>`}
    ${!o.length&&d`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${zd} shown=${a} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${it} label=${d`<span class="unseen">Number at each step</span>`} value=${p} options=${bl(l)}
              onChange=${h=>s({metric:h})} /></div></div>
          <${Ct} series=${vl(a,p,n.smoothing)} label=${`${p} by step`} xLabel="step"
            yLabel=${n.smoothing?`${p}, smoothed`:p} logY=${n.log} height=${270} says=${wl} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${u&&d`<${st} label="Number at evaluations" hidden value=${u} options=${bl(c)}
              onChange=${h=>s({evaluated:h})} />`}</div></div>
          ${u?d`<${Ct} series=${vl(a,u,0)} label=${`${u} by step`} xLabel="step" yLabel=${u}
                height=${270} says=${wl} />`:d`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:d`<p class="hint">No step has been recorded yet.</p>`}function zd({shown:t}){return t.length<2?null:d`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map((e,n)=>d`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${Se[n%6]} /></svg>${e.name}</li>`)}
  </ul>`}var bl=t=>t.map(e=>[e,e]),wl=(t,e=4)=>L(t,e);function Rd(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function Dd(t){let e=[...new Set(t.map(s=>s.run))],n=e.length===1||e.some(s=>t.filter(r=>r.run===s).length>6);return t.map((s,r)=>({...s,class:wt[(n?r+Math.floor(r/6):e.indexOf(s.run))%6]}))}function vl(t,e,n){return t.map(({name:s,columns:r,class:o})=>{let a=(r.step??[]).map((l,c)=>[l,r[e]?.[c]??null]).filter(([,l])=>l!==null);n&&(a=qd(a,n));let i=Math.ceil(a.length/Ld);return a=a.filter((l,c)=>c%i===0||c===a.length-1),{name:s,x:a.map(([l])=>l),y:a.map(([,l])=>l),class:o}})}function qd(t,e){let[n,s]=[0,0];return t.map(([r,o])=>(n=e*n+o,s=e*s+1,[r,n/s]))}function kl(t){let e=[...new Set(t.flatMap(r=>Object.keys(r.columns)))],n=t.flatMap(({name:r,lines:o,columns:a},i)=>Array.from({length:o},(l,c)=>[r,[i,...e.map(p=>a[p]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,r])=>r),rows:n.map(([r])=>r),columns:s}}}var Ml=1e3,jd=3e3,Fd=30;function Sl(t,e){B(()=>{let n=new AbortController,[s,r,o]=[0,!1,null],a=async()=>{clearTimeout(s),!(r||n.signal.aborted)&&(r=!0,o=await t(n.signal),r=!1,o!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,o)))},i=()=>!document.hidden&&o!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function Nl(t,e){let[n,s]=j({response:null,error:null}),r=q("");return Sl(async o=>{let a=null;try{a=await t("runs",{},{signal:o});let i=JSON.stringify(a);i!==r.current&&s({response:a,error:null}),r.current=i}catch(i){if(yt(i))return null;r.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?Ml:jd},[t,e]),n}function Cl(t,e,n){let s=q(new Map),[r,o]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return Sl(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let p of e){let u=s.current.get(p.name);if(!(u&&u.state===p.state&&p.state!=="running"))try{let[h,m]=await Id(t,p.name,u?.trainings??new Map,i,n);s.current.set(p.name,{state:p.state,trainings:h}),l||=m||!u}catch(h){if(yt(h))return null;c=h.message}}return(l||c)&&o({curves:new Map([...s.current].map(([p,u])=>[p,u.trainings])),error:c}),n!=="file"&&e.some(p=>p.state==="running")?Ml:null},[t,a,n]),r}async function Id(t,e,n,s,r){let o=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...o].map(([u,{lines:h,mark:m}])=>[u,{lines:h,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),p=new Set(c.trainings.map(u=>u.name));for(let u of o.keys())p.has(u)||(o.delete(u),a=!0);for(let{name:u,start:h,lines:m,mark:f,columns:g}of c.trainings){let $=o.get(u);$&&h===$.lines&&m===$.lines||(a=!0,o.set(u,{lines:m,mark:f,columns:Wd($?.columns??{},h,g,m)}))}i=c.more&&r!=="file"}return[o,a]}function Wd(t,e,n,s){let r=o=>new Array(o).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(o=>[o,[...t[o]?.slice(0,e)??r(e),...n[o]??r(s-e)]]))}function Al(t){let e=q(new Map);for(let n of t)for(let{name:s,step:r,written:o}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===r)continue;let c=l&&r<l.step?[]:i.filter(p=>o-p.written<Fd);e.current.set(a,[...c,{step:r,written:o}])}return(n,s)=>{let r=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[o,a]=[r[0],r.at(-1)];return r.length<2||a.written<=o.written?null:(a.step-o.step)/(a.written-o.written)}}var Kn=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function Mr({text:t}){let e=q(null),[n,s]=j("");return d`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function Tl({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?Kn(t):null,s=l=>l.steps!==null&&l.step>=l.steps,r=l=>s(l)||t.state==="running"&&l!==n,o=t.trainings.filter(r),a=o.length>4,i=t.trainings.filter(l=>!a||!o.includes(l)).sort((l,c)=>l.written-c.written);return d`<div class="runs-progress">
    ${a&&d`<p class="note">${o.length} trainings are done.</p>`}
    ${i.map(l=>d`<${Bd} key=${l.name} one=${l} speed=${t.state==="running"&&!r(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&d`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&d`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&d`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Mr} text=${t.resume} />`}
  </div>`}var kr=t=>t.toLocaleString("en");function Bd({one:{name:t,step:e,steps:n},speed:s}){let r=s&&n?(n-e)/s:null,o=[n?`step ${kr(e)} of ${kr(n)}`:`step ${kr(e)}`];return s&&o.push(`${L(s,2)} steps/s`),r!==null&&o.push(`${Hd(r)} left`),d`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&d`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${o.join(" · ")}</span>
  </div>`}function Hd(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${L(t/3600,2)} h`}function El({ask:t,run:e,text:n}){let s=q(null);return B(()=>{let r=new AbortController,o=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))Ud(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=Kd(a);t("figure",{run:e,name:a.dataset.figure},{signal:r.signal}).then(({header:l,data:c,offset:p})=>{o.push(URL.createObjectURL(new Blob([new Uint8Array(c,p)],{type:l.kind}))),a.src=o.at(-1)},l=>yt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{r.abort(),o.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),d`<div class="runs-report" ref=${s}></div>`}function Ud(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function Kd(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var Ol=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function Pl({numbers:t}){let e=Object.keys(t);return d`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>d`<tr><th scope="row">${n}</th><td class="number">${L(t[n],4)}</td></tr>`)}
    </tbody></table></div></details>`}function Ll({settings:t}){let e=t.filter(n=>n.own!==null).length;return d`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:r})=>d`<tr class=${r===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${r===null?"":d`<code>${r}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var Vd={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function Xd({ask:t,state:e,change:n,place:s}){let r={...e,smoothing:us(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:o,error:a}=Nl(t,s),i=o?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,x)=>x.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),p=q(null);p.current??=[...l,...c][0]?.name??null;let u=i.find(b=>b.name===(r.run??p.current)),h=i.filter(b=>b!==u&&r.compared.includes(b.name)),m=u?[u,...h]:[],f=Cl(t,m,s),g=Al(i),$=q([r.run,...r.compared]).current,y=b=>s==="file"?b.filter(x=>$.includes(x.name)):b,w=(b,x)=>n({compared:[...r.compared.filter(k=>k!==b),...x?[b]:[]]});return o?d`<div class="sided runs">
    <div class="panel runs-side">
      <${H} error=${a} />
      ${!l.length&&s!=="file"&&d`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Vt} place=${s} what="see other runs" />
      <${Zd} groups=${[["Yours",y(l)],["Comes with regard",y(c)]]} unreadable=${s==="file"?[]:o.unreadable}
        chosen=${u?.name} compared=${r.compared} onChoose=${b=>n({run:b})} onCompare=${w} />
    </div>
    ${u?d`<${Gd} key=${`${u.name} ${u.state} ${u.started}`} ...${{ask:t,state:r,change:n,place:s,run:u,shown:m,found:f,speed:g}} />`:d`<${I} title=${r.run}><p>This run no longer exists.</p><//>`}
  </div>`:d`<${H} error=${a} waiting>reading the runs …<//>`}function Gd({ask:t,state:e,change:n,place:s,run:r,shown:o,found:a,speed:i}){let l=q(null),{response:c,error:p,waiting:u}=Y(t,"report",{run:r.name}),h=o.map(f=>f.name),m=()=>[["runs",{}],...h.map(f=>["curves",{run:f,after:{}}]),...h.map(f=>["report",{run:f}]),...Ol(c?.html).map(f=>["figure",{run:r.name,name:f}])];return d`<div class="runs-detail" ref=${l}>
    <${I} title=${d`<span class="runs-title">${r.name}</span> <${Sr} state=${r.state} />`}
      actions=${d`<${ct} name=${`runs-${r.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:r.name}} place=${s}
        numbers=${()=>kl(Un(a.curves,h,e.only))} saves=${m} />`}>
      ${r.headline&&d`<p class="runs-result">${r.headline}</p>`}
      ${r.is_smoke&&d`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${r.is_shipped?"Comes with regard; made with":d`Recipe ${r.recipe}, started ${Yd(r.started)} with`}</p>
      <${Mr} text=${r.command} />
      ${s==="page"&&d`<${Jd} ask=${t} run=${r} />`}
      <${Tl} run=${r} speed=${i} />
    <//>
    <section class="panel">
      <${H} error=${a.error} waiting=${!a.curves.has(r.name)}>reading the curves …<//>
      ${a.curves.has(r.name)&&d`<${_l} curves=${a.curves} names=${h} state=${e} change=${n} />`}
    </section>
    <${I} title="Report">
      <${H} error=${p} waiting=${u}>reading the report …<//>
      ${c?.html&&d`<${El} ask=${t} run=${r.name} text=${c.html} />`}
      ${c&&!c.html&&d`<p class="hint">${r.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&d`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&d`<${Pl} numbers=${c.numbers} />`}
      <${Ll} settings=${c.settings} />
    </section>`}
  </div>`}function Jd({ask:t,run:e}){let n=Y(t,"models",{}).response?.models??[],s=Y(t,"recorded",{}).response?.trainings??[],r=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,o=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!o&&!a?null:d`<p class="note runs-elsewhere" data-unpictured>
    ${o&&d`<a href=${r("maps",{model:o.name})}>Look at its attention maps</a>`}${o&&a&&" · "}
    ${a&&d`<a href=${r("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function Yd(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var zl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:Vd,View:Xd},Qd={done:d`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:d`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:d`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:d`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},Sr=({state:t})=>d`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${Qd[t]}</svg>${t}</span>`;function Zd({groups:t,unreadable:e,chosen:n,compared:s,onChoose:r,onCompare:o}){let a=q(null);return B(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],p=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;p>0&&(c.scrollTop+=p+12)},[n]),d`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],p=c.indexOf(l.target),u=p<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:me(l,p,c.length,1);u!==null&&c[u].focus()}}>
    ${t.map(([l,c])=>c.length>0&&d`<section><h2>${l}</h2><ul>
      ${c.map(p=>d`<li key=${p.name} class=${p.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${p.name===n?"true":null} onClick=${()=>r(p.name)}>
          <span class="runs-name">${p.name}</span><${Sr} state=${p.state} />
          <span class="runs-headline">${p.headline??tm(p)}</span>
        </button>
        ${p.name!==n&&d`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(p.name)} onChange=${u=>o(p.name,u.target.checked)} />
          compare<span class="unseen"> ${p.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&d`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>d`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${Sr} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function tm(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=Kn(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var Vn=[xl,Wi,$i,nl,Ja,zl],Bt=t=>Vn.find(e=>e.name===t)??Vn[0];function Ve({model:t}){let e=Bt(t.get("view")),n=X(()=>so(t),[t]),[s,r]=j(()=>({...e.state,...t.get("state")}));B(()=>{let a=()=>r({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let o=Qr(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return d`<${e.View} ask=${n} state=${s} change=${o} place=${t.get("place")??"notebook"} />`}function Nr(){let[,t,e]=/^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash)??[],n=Bt(t);return{view:n.name,state:em(n,e)}}function em(t,e){try{let n=Object.entries(JSON.parse(decodeURIComponent(e??""))??{});return Object.fromEntries(n.filter(([s,r])=>nm(r,t.state[s])))}catch{return{}}}var Rl=t=>Array.isArray(t)?"array":t===null?"null":typeof t,nm=(t,e)=>e!==void 0&&(e===null||Rl(t)===Rl(e));function ql({view:t,state:e}){let n=Object.entries(e).filter(([s,r])=>!jl(r,Bt(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(Cr(Object.fromEntries(n)))}`:""}`}var Cr=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n),jl=(t,e)=>Cr(t)===Cr(e),ee=new Map;function Dl({view:t,state:e}){if(!ee.has(t)){let n=new rn({view:t,state:e,place:"page"}),s=0;n.on("change:state",()=>{clearTimeout(s),s=setTimeout(()=>{Nr().view===t&&history.replaceState(null,"",ql({view:t,state:n.get("state")}))},200)}),ee.set(t,n)}return ee.get(t)}function sm({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=r=>{console.error(r),s(r)},B(()=>{let r=()=>s(null);return t.on("change:state",r),()=>t.off("change:state",r)},[t]),n===null?e:d`<section class="panel" role="alert">
    <p class="error">The view cannot show this address: ${n.message}</p>
    <button onClick=${()=>t.set("state",{})}>Start over</button>
  </section>`}function Fl(){let[t,e]=j(Nr);B(()=>{let s=()=>{let r=Nr();ee.has(r.view)&&!jl(ee.get(r.view).get("state"),r.state)&&ee.get(r.view).set("state",r.state),e(r)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),B(()=>{document.title=`${Bt(t.view).title} · regard`},[t.view]);let n=Bt(t.view);return d`
    <a class="skip" href=${location.hash||"#playground"} onClick=${rm}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${cn} />regard</a>
      <nav aria-label="Views">
        ${Vn.map(s=>d`<a
            href=${ql({view:s.name,state:ee.get(s.name)?.get("state")??{}})}
            aria-current=${s.name===n.name?"page":null}
            >${s.title}</a
          >`)}
      </nav>
      <${pn} />
    </header>
    <main id="main" tabindex="-1">
      <div class="heading"><h1>${n.title}</h1><p>${n.about}</p></div>
      <${sm} key=${n.name} model=${Dl(t)}><${Ve} model=${Dl(t)} /><//>
    </main>
  `}function rm(t){t.preventDefault(),document.getElementById("main").focus()}var Ar=document.getElementById("regard-page");Ar&&(Ar.textContent="",ke(d`<${Fl} />`,Ar));var Il=document.getElementById("regard-saved");Il&&om(JSON.parse(Il.textContent));function om({view:t,state:e,answers:n,version:s,date:r}){let o=Bt(t),a=new on({view:t,state:e,place:"file"},n);document.title=`${o.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=d`
    <main>
      <div class="heading"><div><h1>${o.title}</h1><p>${o.about}</p></div><${pn} /></div>
      <${Ve} model=${a} />
    </main>
    <footer><${cn} /><p>Saved from regard ${s} on ${r}; <code>regard explore</code> shows it live.</p></footer>
  `;ke(l,i)}function Wl(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var g0={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:r})=>e.contains(r)&&(r.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),Wl();let s=new MutationObserver(Wl);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),ke(d`<${Ve} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),ke(null,e))}};export{rn as PageModel,on as SavedModel,so as asker,g0 as default,Ks as drawFigure,$e as ellipseOf,oc as fromBase64,d as html,yt as isAborted,ke as render,cs as toBase64,rc as unpack,Y as useAnswer,bt as useLatest,Bt as viewOf};
