/* sources 28b3f2ee6d591c4c2031b5831bdbe771 */
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
var G,wr,Rc,It,xs,dn,vr,pn,_r,_s,ys,Dc,Le=Symbol.for("pv"),mn={},fn=[],jc=/^m(i|n|o|s|text|space)$/,ks=Array.isArray,Ms=fn.slice,Qt=Object.assign;function Yt(t){t&&t.parentNode&&t.remove()}function qc(t,e,n){var s,o,r,a={},i=arguments.length;for(r in e)r=="key"?s=e[r]:r=="ref"&&typeof t!="function"?o=e[r]:a[r]=e[r];return i>2&&(a.children=i>3?Ms.call(arguments,2):n),Ee(t,a,s,o,null)}function Ee(t,e,n,s,o){var r={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Le,__v:o||++wr,__i:-1,__u:0};return!o&&G.vnode&&G.vnode(r),r}function $n(t){return t.children}function un(t,e){this.props=t,this.context=e,this.__g=0}function Wt(t,e){if(e==null)return t.__&&Wt(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Wt(t)}function Fc(t){var e,n=t.__v,s=n.__e,o=[],r=[],a=t.__P;a&&((e=Qt({constructor:Le},n)).__v=n.__v+1,G.vnode&&G.vnode(e),Ss(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,o,s||Wt(n),32&n.__u,r),e.__v=n.__v,e.__.__k[e.__i]=e,Ar(o,e,r),n.__=n.__e=null,e.__e!=s&&kr(e))}function kr(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),kr(t)}function cr(t){(8&t.__g||(t.__g|=8,It.push(t),dn++))&&xs==G.debounceRendering||((xs=G.debounceRendering)||queueMicrotask)(Mr)}function Mr(){try{for(var t,e=1;It.length;)It.length>e&&It.sort(vr),t=It.shift(),e=It.length,8&t.__g&&Fc(t)}finally{(dn=It.length)&&(xs||queueMicrotask)(Mr)}}function Sr(t,e,n,s,o,r,a,i,l,c,p){var u,d,m,f,$,g,x=s.__k||fn,w=e.length;for(l=Ic(n,e,x,l,w),u=0;u<w;u++)(m=n.__k[u])!=null&&(d=~m.__i&&x[m.__i]||mn,m.__i=u,g=Ss(t,m,d,o,r,a,i,l,c,p),f=m.__e,(d.ref!=m.ref||8&d.__u)&&(d.ref&&Ns(d.ref,null,m,d),m.ref&&p.push(m.ref,m.__c||f,m)),$=$||f,4&m.__u?(l=Nr(m,l,t,!d.__v),d.__e&&(d.__e=null)):typeof m.type=="function"&&g!==void 0?l=g:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=$,l}function Ic(t,e,n,s,o){var r,a,i,l,c,p,u,d,m,f=n.length,$=f,g=0,x=0,w=t.__k=Array(o);for(r=0;r<o;r++)(a=e[r])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=w[r]=Ee(null,a):ks(a)?a=w[r]=Ee($n,{children:a}):a.constructor===Le&&a.__b?a=w[r]=Ee(a.type,a.props,a.key,a.ref,a.__v):w[r]=a,l=r+g,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=Wc(a,n,l,$))&&($--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?g--:c==l+1?g++:c!=l&&(c>l?g--:g++,x=1)):(~c||(o>f?g--:o<f&&g++),typeof a.type!="function"&&(a.__u|=4))):w[r]=null;if(x){for(p=[],u=[],r=0;r<o;r++)if((a=w[r])&&16&a.__u){for(g=0,d=p.length;g<d;)p[m=g+d>>1]<a.__i?g=m+1:d=m;p[g]=a.__i,u[r]=g+1}for(g=p.length;r--;)u[r]&&(u[r]==g?g--:w[r].__u|=4)}if($)for(r=0;r<f;r++)!(i=n[r])||2&i.__u||(i.__e==s&&(s=Wt(i)),Cs(i,i));return s}function Nr(t,e,n,s){var o,r,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(o=t.__k)for(r=0;r<o.length;r++)o[r]&&(o[r].__=t,e=Nr(o[r],e,n,!1));return e}for(e&&!e.parentNode&&(e=Wt(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function Wc(t,e,n,s){var o,r=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&r==null||l&&r==i.key&&a==i.type)return n;if(s>(l?1:0)){for(o=n-1;o>=0;o--)if((i=e[o])&&!(2&i.__u)&&r==i.key&&a==i.type)return o;for(o=n+1;o<e.length;o++)if((i=e[o])&&!(2&i.__u)&&r==i.key&&a==i.type)return o}return-1}function pr(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function cn(t,e,n,s,o){var r,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||pr(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||pr(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=ys[e]||(ys[e]=Bc(e)),(t.__a||(t.__a={}))[e]=_s,r=e!=(e=e.replace(_r,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,r):t.removeEventListener(e,a,r));else{if(o=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Bc(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[pn]==null)e[pn]=_s++;else if(e[pn]<this.__a[t])return;return n(G.event?G.event(e):e)}}}function Ss(t,e,n,s,o,r,a,i,l,c){var p,u,d,m,f,$,g,x,w,b,y,S,A,k,T,N,v,O,P=e.type;if(e.constructor!==Le)return null;128&n.__u&&(l=32&n.__u,p=n.__c.__z)&&(e.__u|=l,u=r=[],p.nodeType==8?i=hn(p,r):r.push(p),i=r[0]||i),(p=G.__b)&&p(e);t:if(typeof P=="function"){d=a.length;try{if(x=e.props,w=(p=P.prototype)&&p.render,b=(p=P.contextType)&&s[p.__c],y=p?b?b.props.value:p.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(w?e.__c=m=new P(x,y):(e.__c=m=new un(x,y),m.constructor=P,m.render=Uc),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),w&&(m.__s||(m.__s=m.state),P.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Qt({},m.__s)),Qt(m.__s,P.getDerivedStateFromProps(x,m.__s)))),f=m.props,$=m.state,m.__v=e,n.__c){if(x!==f&&w&&!P.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(x,y),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(x,m.__s,y)===!1){e.__v!=n.__v&&(m.props=x,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(L){L&&(L.__=e)}),fn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Wt(n);break t}m.componentWillUpdate&&m.componentWillUpdate(x,m.__s,y),w&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,$,g)})}else w&&!P.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),w&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=y,m.props=x,m.__P=t,m.__g&=-5,S=G.__r,A=w?25:0;do m.__g&=-9,S&&S(e),p=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++A<25);w&&(fn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Qt({},s,m.getChildContext())),w&&n.__c&&m.getSnapshotBeforeUpdate&&(g=m.getSnapshotBeforeUpdate(f,$)),k=p&&p.type===$n&&p.key==null?p.props.children:p,x.__P&&(p=i,o=(t=x.__P).namespaceURI,l=r=null,n.props&&n.props.__P!=t&&(n.__k.some(function(L){L&&Cs(L,L)}),n.__k=null),i=n.__k?Wt(n,0):null),i=Sr(t,ks(k)?k:[k],e,n,s,o,r,a,i,l,c),x.__P&&(e.__e=null,i=p),e.__u&=-161,u&&u.some(Yt),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(L){if(a.length=d,e.__v=null,l||r)if(L&&L.then){if(e.__u|=128|l,r){for(~(v=r.indexOf(i||void 0))||(v=r.length);(O=r[v-1])&&O.nodeType==8;)v--;for(;v<r.length;v++)if(O=r[v])if(r[v]=null,T){if(O==N)break}else{if(O.nodeType!=8)break;O.data.startsWith("$s")&&(N=hn(T=O))}}if(!T){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;T=i}(p=hn(T=e.__c.__z||(e.__c.__z=T)))?(e.__e=T,i=p):e.__e=i,i=i&&i.nextSibling}else r&&r.some(Yt);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),L&&L.then||Cr(e),G.__e(L,e,n)}}else i=e.__e=Hc(n.__e,e,n,s,o,r,a,l,c,t);return(p=G.diffed)&&p(e),i}function hn(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Cr(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(Cr))}function Ar(t,e,n){for(var s=0;s<n.length;)Ns(n[s++],n[s++],n[s++]);G.__c&&G.__c(e,t),t.some(function(o){try{t=o.__h,o.__h=[],t.some(function(r){r.call(o)})}catch(r){G.__e(r,o.__v)}})}function Hc(t,e,n,s,o,r,a,i,l,c){var p,u,d,m,f,$,g,x,w=n.props||mn,b=e.props,y=e.type;if(y=="svg"?o="http://www.w3.org/2000/svg":y=="math"?o="http://www.w3.org/1998/Math/MathML":o||(o="http://www.w3.org/1999/xhtml"),r){for(p=0;p<r.length;p++)if((f=r[p])&&(y?f.localName==y:f.nodeType==3)){t=f,r[p]=null;break}}if(!t){if(x=c.ownerDocument||document,!y)return x.createTextNode(b);t=x.createElementNS(o,y,b.is?b:c),i&&(G.__m&&G.__m(e,r),i=!1),r=null}if(y){if(c=y=="template"&&t.content||t,r=y=="textarea"&&b.defaultValue!=null?null:r&&Ms.call(c.childNodes),!i&&r)for(w={},p=0;p<t.attributes.length;p++)w[(f=t.attributes[p]).name]=f.value;for(p in w)f=w[p],p=="dangerouslySetInnerHTML"?d=f:p=="children"||p in b||p=="value"&&"defaultValue"in b||p=="checked"&&"defaultChecked"in b||cn(t,p,null,f,o);for(p in b)f=b[p],p=="children"?m=f:p=="dangerouslySetInnerHTML"?u=f:p=="value"?$=f:p=="checked"?g=f:i&&typeof f!="function"||w[p]===f||cn(t,p,f,w[p],o);u?(i||d&&(u.__html==d.__html||u.__html==t.innerHTML)||(t.innerHTML=u.__html),e.__k=[]):(d&&(t.textContent=""),(y=="foreignObject"||o=="http://www.w3.org/1998/Math/MathML"&&jc.test(y))&&(o="http://www.w3.org/1999/xhtml"),Sr(c,ks(m)?m:[m],e,n,s,o,r,a,r?r[0]:n.__k&&Wt(n,0),i,l),r&&r.some(Yt)),i&&y!="textarea"||(p="value",y=="progress"&&$==null?t.removeAttribute(p):$==null||$===t[p]&&(y!="progress"||$)||cn(t,p,$,w[p],o),p="checked",g!=null&&g!=t[p]&&cn(t,p,g,w[p],o))}else w===b||i&&t.data==b||(t.data=b);return t}function Ns(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(o){G.__e(o,n)}}function Cs(t,e,n){var s,o,r,a;if(G.unmount&&G.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||Ns(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){G.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&Cs(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(o=hn(s,r=[]))&&(s==t.__e&&r.some(Yt),Yt(o),Yt(s)),n||Yt(t.__e),t.__e=t.__c=t.__=null}function Uc(t,e,n){return this.constructor(t,n)}function ze(t,e){var n,s,o,r;G.__&&G.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=Ee($n,{children:[t]}),o=[],r=[],Ss(e,e.__k,s||mn,mn,e.namespaceURI,s?null:e.firstChild?Ms.call(e.childNodes):null,o,s?s.__e:e.firstChild,n,r),Ar(o,e.__k,r),e.__k.props.children=null}G={__e:function(t,e,n,s){for(var o,r,a;e=e.__;)if((o=e.__c)&&!(1&o.__g)){o.__g|=4;try{if((a=(r=o.constructor)&&r.getDerivedStateFromError)&&o.setState(r.getDerivedStateFromError(t)),o.componentDidCatch&&(o.componentDidCatch(t,s||{}),a=1),a&&8&o.__g)return void(o.__g|=2)}catch(i){t=i}}throw dn=0,t}},wr=0,Rc=function(t){return t!=null&&t.constructor===Le},un.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Qt({},this.state)),typeof t=="function"&&(t=t(Qt({},n),this.props)),t&&(Qt(n,t),this.__v&&(e&&this.__k.push(e),cr(this)))},un.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),cr(this))},un.prototype.render=$n,It=[],dn=0,vr=function(t,e){return t.__v.__b-e.__v.__b},pn=Symbol(),_r=/(PointerCapture)$|Capture$/i,_s=0,ys={},Dc=0;var Zt,et,gs,ur,bs=Object.is,Pe=0,Tr=[],ws=[],tt=G,hr=tt.__b,dr=tt.__r,mr=tt.diffed,fr=tt.__c,$r=tt.unmount,gr=tt.__;function Re(t,e){tt.__h&&tt.__h(et,t,Pe||e),Pe=0;var n=et.__H||(et.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return Pe=1,Kc(Pr,t)}function Kc(t,e,n){var s=Re(Zt++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):Pr(void 0,e),function(r){var a=(s.__N||s.__)[0],i=s.t(a,r);bs(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=et,!et.__f)){et.__f=!0;var o=et.shouldComponentUpdate;et.shouldComponentUpdate=function(r,a,i){var l=this.__H;if(!l)return!0;var c=!1,p=this.props!=r;if(l.__.some(function(d){d.__N&&(c=!0,bs(d.__[0],d.__N[0])||(p=!0))}),o){var u=o.call(this,r,a,i);return c?u||p:u}return!c||p}}return s.__}function W(t,e){var n=Re(Zt++,3);!tt.__s&&As(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,et.__H.__h.push(n))}function at(t,e){var n=Re(Zt++,4);!tt.__s&&As(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,et.__h.push(n))}function R(t){return Pe=5,X(function(){return{current:t}},[])}function X(t,e){var n=Re(Zt++,7);return As(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Er(t,e){return Pe=8,X(function(){return t},e)}function Or(){var t=Re(Zt++,11);if(!t.__){for(var e=et.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Vc(){var t;do{for(;t=ws.shift();)try{Oe(t)}catch(n){tt.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=Tr.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(Oe),e.__h.some(vs),e.__h=[]}catch(n){e.__h=[],tt.__e(n,t.__v)}}}while(ws.length)}tt.__b=function(t){et=null,hr&&hr(t)},tt.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),gr&&gr(t,e)},tt.__r=function(t){dr&&dr(t),Zt=0;var e=(et=t.__c).__H;e&&(gs==et?et.__h=[]:(e.__h.some(Oe),e.__h.some(vs),Zt=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),gs=et},tt.diffed=function(t){mr&&mr(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&yr(Tr.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),gs=et=null},tt.__c=function(t,e){e.some(function(n){try{n.__h.some(Oe),n.__h=n.__h.filter(function(s){return!s.__||vs(s)})}catch(s){n.__h=[function(){throw s}]}}),fr&&fr(t,e)},tt.unmount=function(t){$r&&$r(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(o){try{if(o.__P&&o.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}o.__P=n,yr(ws.push(o))}else Oe(o)}catch(r){e=r}}),s.__H=void 0,e&&tt.__e(e,s.__v))};var xr=typeof requestAnimationFrame=="function";function Xc(t){var e,n=function(){clearTimeout(s),xr&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);xr&&(e=requestAnimationFrame(n))}function yr(t){t!=1&&ur==tt.requestAnimationFrame||((ur=tt.requestAnimationFrame)||Xc)(Vc)}function Oe(t){var e=et,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),et=e}function vs(t){var e=et;t.__c=t.__(),et=e}function As(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!bs(n,t[s])})}function Pr(t,e){return typeof e=="function"?e(t):e}var Lr=function(t,e,n,s){var o;e[0]=0;for(var r=1;r<e.length;r++){var a=e[r++],i=e[r]?(e[0]|=a?1:2,n[e[r++]]):e[++r];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++r]]=i:a===6?s[1][e[++r]]+=i+"":a?(o=t.apply(i,Lr(t,i,n,["",null])),s.push(o),i[0]?e[0]|=2:(e[r-2]=0,e[r]=o)):s.push(i)}return s},br=new Map;function Gc(t){var e=br.get(this);return e||(e=new Map,br.set(this,e)),(e=Lr(this,e.get(t)||(e.set(t,e=(function(n){for(var s,o,r=1,a="",i="",l=[0],c=function(d){r===1&&(d||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,d,a):r===3&&(d||a)?(l.push(3,d,a),r=2):r===2&&a==="..."&&d?l.push(4,d,0):r===2&&a&&!d?l.push(5,0,!0,a):r>=5&&((a||!d&&r===5)&&(l.push(r,0,a,o),r=6),d&&(l.push(r,d,0,o),r=6)),a=""},p=0;p<n.length;p++){p&&(r===1&&c(),c(p));for(var u=0;u<n[p].length;u++)s=n[p][u],r===1?s==="<"?(c(),l=[l],r=3):a+=s:r===4?a==="--"&&s===">"?(r=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),r=1):r&&(s==="="?(r=5,o=a,a=""):s==="/"&&(r<5||n[p][u+1]===">")?(c(),r===3&&(l=l[0]),r=l,(l=l[0]).push(2,0,r),r=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),r=2):a+=s),r===3&&a==="!--"&&(r=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var h=Gc.bind(qc);function Dr(t){return Ts.has(t)||Ts.set(t,Jc(t)),Ts.get(t)}var Ts=new WeakMap;function Jc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(o,r)=>{let a=e.get(o?.id);a&&(e.delete(o.id),o.error!==void 0?a.reject(Object.assign(new Error(o.error),{status:o.status})):a.resolve(r?.length?Yc(r[0]):o.response))}),(o,r={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(zr());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(zr()))}),t.send({id:c,name:o,request:r})})}var zr=()=>new DOMException("nobody waits for it any more","AbortError"),Nt=t=>t?.name==="AbortError";function Yc(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),o=e.byteOffset+4+n,r=o%8?e.buffer.slice(o,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:r,offset:o%8?0:o,packed:a}}var gn=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},xn=class extends gn{running=new Map;async send({id:e,name:n,request:s,cancel:o}){if(o)return this.running.get(e)?.abort();let r=new AbortController;this.running.set(e,r);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:r.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){Nt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},yn=class extends gn{constructor(e,n){super(e),this.answers=new Map(n.map(([s,o,r])=>[Rr(s,o),r]))}send({id:e,name:n,request:s,cancel:o}){if(o)return;let r=this.answers.get(Rr(n,s));queueMicrotask(()=>{r===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof r=="string"?this.emit("msg:custom",{id:e},[Qc(r).buffer]):this.emit("msg:custom",{id:e,response:r})})}},Rr=(t,e)=>`${t} ${JSON.stringify(Es(e))}`,Es=t=>Array.isArray(t)?t.map(Es):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,Es(t[e])])):t;function Qc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function Os(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function Q(t,e,n){let s=n==null?null:JSON.stringify(n),[o,r]=j({response:null,error:null,waiting:s!==null,of:null});return W(()=>{if(s===null){r(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return r(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>r({response:i,error:null,waiting:!1,of:s}),i=>Nt(i)||r(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),o}function bt(t,e,n){let s=n==null?null:JSON.stringify(n),[o,r]=j({response:null,error:null,waiting:s!==null,of:null}),a=R({busy:!1,next:null,here:!0});return W(()=>(a.current.here=!0,()=>a.current.here=!1),[]),W(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let p=await t(e,JSON.parse(c));i.here&&r({response:p,error:null,waiting:i.next!==null,of:c})}catch(p){i.here&&!Nt(p)&&r(u=>({...u,error:p.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),o}function kn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Zc(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function ha(t){let e,n,s;t.length!==2?(e=kn,n=(i,l)=>kn(t(i),l),s=(i,l)=>t(i)-l):(e=t===kn||t===Zc?t:tp,n=t,s=t);function o(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<0?c=u+1:p=u}while(c<p)}return c}function r(i,l,c=0,p=i.length){if(c<p){if(e(l,l)!==0)return p;do{let u=c+p>>>1;n(i[u],l)<=0?c=u+1:p=u}while(c<p)}return c}function a(i,l,c=0,p=i.length){let u=o(i,l,c,p-1);return u>c&&s(i[u-1],l)>-s(i[u],l)?u-1:u}return{left:o,center:a,right:r}}function tp(){return 0}function ep(t){return t===null?NaN:+t}var da=ha(kn),np=da.right,Mf=da.left,Sf=ha(ep).center,Nf=ma(fa),Cf=ma(sp);function ma(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:o,width:r,height:a}=e;if(!((r=Math.floor(r))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:o.length/r))>=0))throw new RangeError("invalid height");if(!r||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=o.slice();return i&&l?(ue(i,c,o,r,a),ue(i,o,c,r,a),ue(i,c,o,r,a),he(l,o,c,r,a),he(l,c,o,r,a),he(l,o,c,r,a)):i?(ue(i,o,c,r,a),ue(i,c,o,r,a),ue(i,o,c,r,a)):l&&(he(l,o,c,r,a),he(l,c,o,r,a),he(l,o,c,r,a)),e}}function ue(t,e,n,s,o){for(let r=0,a=s*o;r<a;)t(e,n,r,r+=s,1)}function he(t,e,n,s,o){for(let r=0,a=s*o;r<s;++r)t(e,n,r,r+a,s)}function sp(t){let e=fa(t);return(n,s,o,r,a)=>{o<<=2,r<<=2,a<<=2,e(n,s,o+0,r+0,a),e(n,s,o+1,r+1,a),e(n,s,o+2,r+2,a),e(n,s,o+3,r+3,a)}}function fa(t){let e=Math.floor(t);if(e===t)return op(t);let n=t-e,s=2*t+1;return(o,r,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*r[a],p=l*e,u=p+l;for(let d=a,m=a+p;d<m;d+=l)c+=r[Math.min(i,d)];for(let d=a,m=i;d<=m;d+=l)c+=r[Math.min(i,d+p)],o[d]=(c+n*(r[Math.max(a,d-u)]+r[Math.min(i,d+u)]))/s,c-=r[Math.max(a,d-p)]}}function op(t){let e=2*t+1;return(n,s,o,r,a)=>{if(!((r-=a)>=o))return;let i=t*s[o],l=a*t;for(let c=o,p=o+l;c<p;c+=a)i+=s[Math.min(r,c)];for(let c=o,p=r;c<=p;c+=a)i+=s[Math.min(r,c+l)],n[c]=i/e,i-=s[Math.max(o,c-l)]}}var rp=Array.prototype,Af=rp.slice,ap=Math.sqrt(50),ip=Math.sqrt(10),lp=Math.sqrt(2);function Mn(t,e,n){let s=(e-t)/Math.max(0,n),o=Math.floor(Math.log10(s)),r=s/Math.pow(10,o),a=r>=ap?10:r>=ip?5:r>=lp?2:1,i,l,c;return o<0?(c=Math.pow(10,-o)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,o)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?Mn(t,e,n*2):[i,l,c]}function Fs(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[o,r,a]=s?Mn(e,t,n):Mn(t,e,n);if(!(r>=o))return[];let i=r-o+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(r-c)/-a;else for(let c=0;c<i;++c)l[c]=(r-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(o+c)/-a;else for(let c=0;c<i;++c)l[c]=(o+c)*a;return l}function Is(t,e,n){return e=+e,t=+t,n=+n,Mn(t,e,n)[2]}function cp(t,e,n){e=+e,t=+t,n=+n;let s=e<t,o=s?Is(e,t,n):Is(t,e,n);return(s?-1:1)*(o<0?1/-o:o)}var Tf=pp(Math.random);function pp(t){return function(e,n=0,s=e.length){let o=s-(n=+n);for(;o;){let r=t()*o--|0,a=e[o+n];e[o+n]=e[r+n],e[r+n]=a}return e}}function xe(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function We(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function Ht(){}var oe=.7,$e=1/oe,me="\\s*([+-]?\\d+)\\s*",je="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",At="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",up=/^#([0-9a-f]{3,8})$/,hp=new RegExp(`^rgb\\(${me},${me},${me}\\)$`),dp=new RegExp(`^rgb\\(${At},${At},${At}\\)$`),mp=new RegExp(`^rgba\\(${me},${me},${me},${je}\\)$`),fp=new RegExp(`^rgba\\(${At},${At},${At},${je}\\)$`),$p=new RegExp(`^hsl\\(${je},${At},${At}\\)$`),gp=new RegExp(`^hsla\\(${je},${At},${At},${je}\\)$`),jr={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};xe(Ht,qe,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:qr,formatHex:qr,formatHex8:xp,formatHsl:yp,formatRgb:Fr,toString:Fr});function qr(){return this.rgb().formatHex()}function xp(){return this.rgb().formatHex8()}function yp(){return $a(this).formatHsl()}function Fr(){return this.rgb().formatRgb()}function qe(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=up.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?Ir(e):n===3?new it(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?bn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?bn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=hp.exec(t))?new it(e[1],e[2],e[3],1):(e=dp.exec(t))?new it(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=mp.exec(t))?bn(e[1],e[2],e[3],e[4]):(e=fp.exec(t))?bn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=$p.exec(t))?Hr(e[1],e[2]/100,e[3]/100,1):(e=gp.exec(t))?Hr(e[1],e[2]/100,e[3]/100,e[4]):jr.hasOwnProperty(t)?Ir(jr[t]):t==="transparent"?new it(NaN,NaN,NaN,0):null}function Ir(t){return new it(t>>16&255,t>>8&255,t&255,1)}function bn(t,e,n,s){return s<=0&&(t=e=n=NaN),new it(t,e,n,s)}function Js(t){return t instanceof Ht||(t=qe(t)),t?(t=t.rgb(),new it(t.r,t.g,t.b,t.opacity)):new it}function Sn(t,e,n,s){return arguments.length===1?Js(t):new it(t,e,n,s??1)}function it(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}xe(it,Sn,We(Ht,{brighter(t){return t=t==null?$e:Math.pow($e,t),new it(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?oe:Math.pow(oe,t),new it(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new it(ne(this.r),ne(this.g),ne(this.b),Nn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:Wr,formatHex:Wr,formatHex8:bp,formatRgb:Br,toString:Br}));function Wr(){return`#${ee(this.r)}${ee(this.g)}${ee(this.b)}`}function bp(){return`#${ee(this.r)}${ee(this.g)}${ee(this.b)}${ee((isNaN(this.opacity)?1:this.opacity)*255)}`}function Br(){let t=Nn(this.opacity);return`${t===1?"rgb(":"rgba("}${ne(this.r)}, ${ne(this.g)}, ${ne(this.b)}${t===1?")":`, ${t})`}`}function Nn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function ne(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function ee(t){return t=ne(t),(t<16?"0":"")+t.toString(16)}function Hr(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new _t(t,e,n,s)}function $a(t){if(t instanceof _t)return new _t(t.h,t.s,t.l,t.opacity);if(t instanceof Ht||(t=qe(t)),!t)return new _t;if(t instanceof _t)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,o=Math.min(e,n,s),r=Math.max(e,n,s),a=NaN,i=r-o,l=(r+o)/2;return i?(e===r?a=(n-s)/i+(n<s)*6:n===r?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?r+o:2-r-o,a*=60):i=l>0&&l<1?0:a,new _t(a,i,l,t.opacity)}function Ws(t,e,n,s){return arguments.length===1?$a(t):new _t(t,e,n,s??1)}function _t(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}xe(_t,Ws,We(Ht,{brighter(t){return t=t==null?$e:Math.pow($e,t),new _t(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?oe:Math.pow(oe,t),new _t(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,o=2*n-s;return new it(Ps(t>=240?t-240:t+120,o,s),Ps(t,o,s),Ps(t<120?t+240:t-120,o,s),this.opacity)},clamp(){return new _t(Ur(this.h),wn(this.s),wn(this.l),Nn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=Nn(this.opacity);return`${t===1?"hsl(":"hsla("}${Ur(this.h)}, ${wn(this.s)*100}%, ${wn(this.l)*100}%${t===1?")":`, ${t})`}`}}));function Ur(t){return t=(t||0)%360,t<0?t+360:t}function wn(t){return Math.max(0,Math.min(1,t||0))}function Ps(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var ga=Math.PI/180,xa=180/Math.PI,Cn=18,ya=.96422,ba=1,wa=.82521,va=4/29,fe=6/29,_a=3*fe*fe,wp=fe*fe*fe;function ka(t){if(t instanceof Tt)return new Tt(t.l,t.a,t.b,t.opacity);if(t instanceof zt)return Ma(t);t instanceof it||(t=Js(t));var e=Ds(t.r),n=Ds(t.g),s=Ds(t.b),o=Ls((.2225045*e+.7168786*n+.0606169*s)/ba),r,a;return e===n&&n===s?r=a=o:(r=Ls((.4360747*e+.3850649*n+.1430804*s)/ya),a=Ls((.0139322*e+.0971045*n+.7141733*s)/wa)),new Tt(116*o-16,500*(r-o),200*(o-a),t.opacity)}function vp(t,e,n,s){return arguments.length===1?ka(t):new Tt(t,e,n,s??1)}function Tt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}xe(Tt,vp,We(Ht,{brighter(t){return new Tt(this.l+Cn*(t??1),this.a,this.b,this.opacity)},darker(t){return new Tt(this.l-Cn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=ya*zs(e),t=ba*zs(t),n=wa*zs(n),new it(Rs(3.1338561*e-1.6168667*t-.4906146*n),Rs(-.9787684*e+1.9161415*t+.033454*n),Rs(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function Ls(t){return t>wp?Math.pow(t,1/3):t/_a+va}function zs(t){return t>fe?t*t*t:_a*(t-va)}function Rs(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function Ds(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function _p(t){if(t instanceof zt)return new zt(t.h,t.c,t.l,t.opacity);if(t instanceof Tt||(t=ka(t)),t.a===0&&t.b===0)return new zt(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*xa;return new zt(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function Bs(t,e,n,s){return arguments.length===1?_p(t):new zt(t,e,n,s??1)}function zt(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function Ma(t){if(isNaN(t.h))return new Tt(t.l,0,0,t.opacity);var e=t.h*ga;return new Tt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}xe(zt,Bs,We(Ht,{brighter(t){return new zt(this.h,this.c,this.l+Cn*(t??1),this.opacity)},darker(t){return new zt(this.h,this.c,this.l-Cn*(t??1),this.opacity)},rgb(){return Ma(this).rgb()}}));var Sa=-.14861,Ys=1.78277,Qs=-.29227,Ln=-.90649,Fe=1.97294,Kr=Fe*Ln,Vr=Fe*Ys,Xr=Ys*Qs-Ln*Sa;function kp(t){if(t instanceof se)return new se(t.h,t.s,t.l,t.opacity);t instanceof it||(t=Js(t));var e=t.r/255,n=t.g/255,s=t.b/255,o=(Xr*s+Kr*e-Vr*n)/(Xr+Kr-Vr),r=s-o,a=(Fe*(n-o)-Qs*r)/Ln,i=Math.sqrt(a*a+r*r)/(Fe*o*(1-o)),l=i?Math.atan2(a,r)*xa-120:NaN;return new se(l<0?l+360:l,i,o,t.opacity)}function Hs(t,e,n,s){return arguments.length===1?kp(t):new se(t,e,n,s??1)}function se(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}xe(se,Hs,We(Ht,{brighter(t){return t=t==null?$e:Math.pow($e,t),new se(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?oe:Math.pow(oe,t),new se(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*ga,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),o=Math.sin(t);return new it(255*(e+n*(Sa*s+Ys*o)),255*(e+n*(Qs*s+Ln*o)),255*(e+n*(Fe*s)),this.opacity)}}));function Na(t,e,n,s,o){var r=t*t,a=r*t;return((1-3*t+3*r-a)*e+(4-6*r+3*a)*n+(1+3*t+3*r-3*a)*s+a*o)/6}function Mp(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),o=t[s],r=t[s+1],a=s>0?t[s-1]:2*o-r,i=s<e-1?t[s+2]:2*r-o;return Na((n-s/e)*e,a,o,r,i)}}function Sp(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),o=t[(s+e-1)%e],r=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return Na((n-s/e)*e,o,r,a,i)}}var zn=t=>()=>t;function Ca(t,e){return function(n){return t+n*e}}function Np(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Zs(t,e){var n=e-t;return n?Ca(t,n>180||n<-180?n-360*Math.round(n/360):n):zn(isNaN(t)?e:t)}function Cp(t){return(t=+t)==1?mt:function(e,n){return n-e?Np(e,n,t):zn(isNaN(e)?n:e)}}function mt(t,e){var n=e-t;return n?Ca(t,n):zn(isNaN(t)?e:t)}var Gr=(function t(e){var n=Cp(e);function s(o,r){var a=n((o=Sn(o)).r,(r=Sn(r)).r),i=n(o.g,r.g),l=n(o.b,r.b),c=mt(o.opacity,r.opacity);return function(p){return o.r=a(p),o.g=i(p),o.b=l(p),o.opacity=c(p),o+""}}return s.gamma=t,s})(1);function Aa(t){return function(e){var n=e.length,s=new Array(n),o=new Array(n),r=new Array(n),a,i;for(a=0;a<n;++a)i=Sn(e[a]),s[a]=i.r||0,o[a]=i.g||0,r[a]=i.b||0;return s=t(s),o=t(o),r=t(r),i.opacity=1,function(l){return i.r=s(l),i.g=o(l),i.b=r(l),i+""}}}var Ef=Aa(Mp),Of=Aa(Sp);function Ap(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),o;return function(r){for(o=0;o<n;++o)s[o]=t[o]*(1-r)+e[o]*r;return s}}function Tp(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function Ep(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,o=new Array(s),r=new Array(n),a;for(a=0;a<s;++a)o[a]=to(t[a],e[a]);for(;a<n;++a)r[a]=e[a];return function(i){for(a=0;a<s;++a)r[a]=o[a](i);return r}}function Op(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function Ct(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Pp(t,e){var n={},s={},o;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(o in e)o in t?n[o]=to(t[o],e[o]):s[o]=e[o];return function(r){for(o in n)s[o]=n[o](r);return s}}var Us=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,js=new RegExp(Us.source,"g");function Lp(t){return function(){return t}}function zp(t){return function(e){return t(e)+""}}function Rp(t,e){var n=Us.lastIndex=js.lastIndex=0,s,o,r,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=Us.exec(t))&&(o=js.exec(e));)(r=o.index)>n&&(r=e.slice(n,r),i[a]?i[a]+=r:i[++a]=r),(s=s[0])===(o=o[0])?i[a]?i[a]+=o:i[++a]=o:(i[++a]=null,l.push({i:a,x:Ct(s,o)})),n=js.lastIndex;return n<e.length&&(r=e.slice(n),i[a]?i[a]+=r:i[++a]=r),i.length<2?l[0]?zp(l[0].x):Lp(e):(e=l.length,function(c){for(var p=0,u;p<e;++p)i[(u=l[p]).i]=u.x(c);return i.join("")})}function to(t,e){var n=typeof e,s;return e==null||n==="boolean"?zn(e):(n==="number"?Ct:n==="string"?(s=qe(e))?(e=s,Gr):Rp:e instanceof qe?Gr:e instanceof Date?Op:Tp(e)?Ap:Array.isArray(e)?Ep:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Pp:Ct)(t,e)}function Dp(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var Jr=180/Math.PI,Ta={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function Ea(t,e,n,s,o,r){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:o,translateY:r,rotate:Math.atan2(e,t)*Jr,skewX:Math.atan(l)*Jr,scaleX:a,scaleY:i}}var vn;function jp(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?Ta:Ea(e.a,e.b,e.c,e.d,e.e,e.f)}function qp(t){return t==null||(vn||(vn=document.createElementNS("http://www.w3.org/2000/svg","g")),vn.setAttribute("transform",t),!(t=vn.transform.baseVal.consolidate()))?Ta:(t=t.matrix,Ea(t.a,t.b,t.c,t.d,t.e,t.f))}function Oa(t,e,n,s){function o(c){return c.length?c.pop()+" ":""}function r(c,p,u,d,m,f){if(c!==u||p!==d){var $=m.push("translate(",null,e,null,n);f.push({i:$-4,x:Ct(c,u)},{i:$-2,x:Ct(p,d)})}else(u||d)&&m.push("translate("+u+e+d+n)}function a(c,p,u,d){c!==p?(c-p>180?p+=360:p-c>180&&(c+=360),d.push({i:u.push(o(u)+"rotate(",null,s)-2,x:Ct(c,p)})):p&&u.push(o(u)+"rotate("+p+s)}function i(c,p,u,d){c!==p?d.push({i:u.push(o(u)+"skewX(",null,s)-2,x:Ct(c,p)}):p&&u.push(o(u)+"skewX("+p+s)}function l(c,p,u,d,m,f){if(c!==u||p!==d){var $=m.push(o(m)+"scale(",null,",",null,")");f.push({i:$-4,x:Ct(c,u)},{i:$-2,x:Ct(p,d)})}else(u!==1||d!==1)&&m.push(o(m)+"scale("+u+","+d+")")}return function(c,p){var u=[],d=[];return c=t(c),p=t(p),r(c.translateX,c.translateY,p.translateX,p.translateY,u,d),a(c.rotate,p.rotate,u,d),i(c.skewX,p.skewX,u,d),l(c.scaleX,c.scaleY,p.scaleX,p.scaleY,u,d),c=p=null,function(m){for(var f=-1,$=d.length,g;++f<$;)u[(g=d[f]).i]=g.x(m);return u.join("")}}}var Pf=Oa(jp,"px, ","px)","deg)"),Lf=Oa(qp,", ",")",")"),Fp=1e-12;function Yr(t){return((t=Math.exp(t))+1/t)/2}function Ip(t){return((t=Math.exp(t))-1/t)/2}function Wp(t){return((t=Math.exp(2*t))-1)/(t+1)}var zf=(function t(e,n,s){function o(r,a){var i=r[0],l=r[1],c=r[2],p=a[0],u=a[1],d=a[2],m=p-i,f=u-l,$=m*m+f*f,g,x;if($<Fp)x=Math.log(d/c)/e,g=function(k){return[i+k*m,l+k*f,c*Math.exp(e*k*x)]};else{var w=Math.sqrt($),b=(d*d-c*c+s*$)/(2*c*n*w),y=(d*d-c*c-s*$)/(2*d*n*w),S=Math.log(Math.sqrt(b*b+1)-b),A=Math.log(Math.sqrt(y*y+1)-y);x=(A-S)/e,g=function(k){var T=k*x,N=Yr(S),v=c/(n*w)*(N*Wp(e*T+S)-Ip(S));return[i+v*m,l+v*f,c*N/Yr(e*T+S)]}}return g.duration=Math.abs(x)*1e3*e/Math.SQRT2,g}return o.rho=function(r){var a=Math.max(.001,+r),i=a*a,l=i*i;return t(a,i,l)},o})(Math.SQRT2,2,4);function Pa(t){return function(e,n){var s=t((e=Ws(e)).h,(n=Ws(n)).h),o=mt(e.s,n.s),r=mt(e.l,n.l),a=mt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=o(i),e.l=r(i),e.opacity=a(i),e+""}}}var Rf=Pa(Zs),Df=Pa(mt);function La(t){return function(e,n){var s=t((e=Bs(e)).h,(n=Bs(n)).h),o=mt(e.c,n.c),r=mt(e.l,n.l),a=mt(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=o(i),e.l=r(i),e.opacity=a(i),e+""}}}var jf=La(Zs),qf=La(mt);function za(t){return(function e(n){n=+n;function s(o,r){var a=t((o=Hs(o)).h,(r=Hs(r)).h),i=mt(o.s,r.s),l=mt(o.l,r.l),c=mt(o.opacity,r.opacity);return function(p){return o.h=a(p),o.s=i(p),o.l=l(Math.pow(p,n)),o.opacity=c(p),o+""}}return s.gamma=e,s})(1)}var Ff=za(Zs),If=za(mt);function Bp(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function An(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function ge(t){return t=An(Math.abs(t)),t?t[1]:NaN}function Hp(t,e){return function(n,s){for(var o=n.length,r=[],a=0,i=t[0],l=0;o>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),r.push(n.substring(o-=i,o+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return r.reverse().join(e)}}function Up(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var Kp=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Ie(t){if(!(e=Kp.exec(t)))throw new Error("invalid format: "+t);var e;return new eo({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Ie.prototype=eo.prototype;function eo(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}eo.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function Vp(t){t:for(var e=t.length,n=1,s=-1,o;n<e;++n)switch(t[n]){case".":s=o=n;break;case"0":s===0&&(s=n),o=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(o+1):t}var Tn;function Xp(t,e){var n=An(t,e);if(!n)return Tn=void 0,t.toPrecision(e);var s=n[0],o=n[1],r=o-(Tn=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,a=s.length;return r===a?s:r>a?s+new Array(r-a+1).join("0"):r>0?s.slice(0,r)+"."+s.slice(r):"0."+new Array(1-r).join("0")+An(t,Math.max(0,e+r-1))[0]}function Qr(t,e){var n=An(t,e);if(!n)return t+"";var s=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+s:s.length>o+1?s.slice(0,o+1)+"."+s.slice(o+1):s+new Array(o-s.length+2).join("0")}var Zr={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:Bp,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>Qr(t*100,e),r:Qr,s:Xp,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function ta(t){return t}var ea=Array.prototype.map,na=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function Gp(t){var e=t.grouping===void 0||t.thousands===void 0?ta:Hp(ea.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",o=t.decimal===void 0?".":t.decimal+"",r=t.numerals===void 0?ta:Up(ea.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(u,d){u=Ie(u);var m=u.fill,f=u.align,$=u.sign,g=u.symbol,x=u.zero,w=u.width,b=u.comma,y=u.precision,S=u.trim,A=u.type;A==="n"?(b=!0,A="g"):Zr[A]||(y===void 0&&(y=12),S=!0,A="g"),(x||m==="0"&&f==="=")&&(x=!0,m="0",f="=");var k=(d&&d.prefix!==void 0?d.prefix:"")+(g==="$"?n:g==="#"&&/[boxX]/.test(A)?"0"+A.toLowerCase():""),T=(g==="$"?s:/[%p]/.test(A)?a:"")+(d&&d.suffix!==void 0?d.suffix:""),N=Zr[A],v=/[defgprs%]/.test(A);y=y===void 0?6:/[gprs]/.test(A)?Math.max(1,Math.min(21,y)):Math.max(0,Math.min(20,y));function O(P){var L=k,F=T,E,D,M;if(A==="c")F=N(P)+F,P="";else{P=+P;var _=P<0||1/P<0;if(P=isNaN(P)?l:N(Math.abs(P),y),S&&(P=Vp(P)),_&&+P==0&&$!=="+"&&(_=!1),L=(_?$==="("?$:i:$==="-"||$==="("?"":$)+L,F=(A==="s"&&!isNaN(P)&&Tn!==void 0?na[8+Tn/3]:"")+F+(_&&$==="("?")":""),v){for(E=-1,D=P.length;++E<D;)if(M=P.charCodeAt(E),48>M||M>57){F=(M===46?o+P.slice(E+1):P.slice(E))+F,P=P.slice(0,E);break}}}b&&!x&&(P=e(P,1/0));var C=L.length+P.length+F.length,q=C<w?new Array(w-C+1).join(m):"";switch(b&&x&&(P=e(q+P,q.length?w-F.length:1/0),q=""),f){case"<":P=L+P+F+q;break;case"=":P=L+q+P+F;break;case"^":P=q.slice(0,C=q.length>>1)+L+P+F+q.slice(C);break;default:P=q+L+P+F;break}return r(P)}return O.toString=function(){return u+""},O}function p(u,d){var m=Math.max(-8,Math.min(8,Math.floor(ge(d)/3)))*3,f=Math.pow(10,-m),$=c((u=Ie(u),u.type="f",u),{suffix:na[8+m/3]});return function(g){return $(f*g)}}return{format:c,formatPrefix:p}}var _n,no,Ra;Jp({thousands:",",grouping:[3],currency:["$",""]});function Jp(t){return _n=Gp(t),no=_n.format,Ra=_n.formatPrefix,_n}function Yp(t){return Math.max(0,-ge(Math.abs(t)))}function Qp(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(ge(e)/3)))*3-ge(Math.abs(t)))}function Zp(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,ge(e)-ge(t))+1}function Da(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function tu(t){return function(){return t}}function eu(t){return+t}var sa=[0,1];function de(t){return t}function Ks(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:tu(isNaN(e)?NaN:.5)}function nu(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function su(t,e,n){var s=t[0],o=t[1],r=e[0],a=e[1];return o<s?(s=Ks(o,s),r=n(a,r)):(s=Ks(s,o),r=n(r,a)),function(i){return r(s(i))}}function ou(t,e,n){var s=Math.min(t.length,e.length)-1,o=new Array(s),r=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)o[a]=Ks(t[a],t[a+1]),r[a]=n(e[a],e[a+1]);return function(i){var l=np(t,i,1,s)-1;return r[l](o[l](i))}}function ja(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function qa(){var t=sa,e=sa,n=to,s,o,r,a=de,i,l,c;function p(){var d=Math.min(t.length,e.length);return a!==de&&(a=nu(t[0],t[d-1])),i=d>2?ou:su,l=c=null,u}function u(d){return d==null||isNaN(d=+d)?r:(l||(l=i(t.map(s),e,n)))(s(a(d)))}return u.invert=function(d){return a(o((c||(c=i(e,t.map(s),Ct)))(d)))},u.domain=function(d){return arguments.length?(t=Array.from(d,eu),p()):t.slice()},u.range=function(d){return arguments.length?(e=Array.from(d),p()):e.slice()},u.rangeRound=function(d){return e=Array.from(d),n=Dp,p()},u.clamp=function(d){return arguments.length?(a=d?!0:de,p()):a!==de},u.interpolate=function(d){return arguments.length?(n=d,p()):n},u.unknown=function(d){return arguments.length?(r=d,u):r},function(d,m){return s=d,o=m,p()}}function ru(){return qa()(de,de)}function au(t,e,n,s){var o=cp(t,e,n),r;switch(s=Ie(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(r=Qp(o,a))&&(s.precision=r),Ra(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(r=Zp(o,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=r-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(r=Yp(o))&&(s.precision=r-(s.type==="%")*2);break}}return no(s)}function iu(t){var e=t.domain;return t.ticks=function(n){var s=e();return Fs(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var o=e();return au(o[0],o[o.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),o=0,r=s.length-1,a=s[o],i=s[r],l,c,p=10;for(i<a&&(c=a,a=i,i=c,c=o,o=r,r=c);p-- >0;){if(c=Is(a,i,n),c===l)return s[o]=a,s[r]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Be(){var t=ru();return t.copy=function(){return ja(t,Be())},Da.apply(t,arguments),iu(t)}function lu(t,e){t=t.slice();var n=0,s=t.length-1,o=t[n],r=t[s],a;return r<o&&(a=n,n=s,s=a,a=o,o=r,r=a),t[n]=e.floor(o),t[s]=e.ceil(r),t}function oa(t){return Math.log(t)}function ra(t){return Math.exp(t)}function cu(t){return-Math.log(-t)}function pu(t){return-Math.exp(-t)}function uu(t){return isFinite(t)?+("1e"+t):t<0?0:t}function hu(t){return t===10?uu:t===Math.E?Math.exp:e=>Math.pow(t,e)}function du(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function aa(t){return(e,n)=>-t(-e,n)}function mu(t){let e=t(oa,ra),n=e.domain,s=10,o,r;function a(){return o=du(s),r=hu(s),n()[0]<0?(o=aa(o),r=aa(r),t(cu,pu)):t(oa,ra),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],p=l[l.length-1],u=p<c;u&&([c,p]=[p,c]);let d=o(c),m=o(p),f,$,g=i==null?10:+i,x=[];if(!(s%1)&&m-d<g){if(d=Math.floor(d),m=Math.ceil(m),c>0){for(;d<=m;++d)for(f=1;f<s;++f)if($=d<0?f/r(-d):f*r(d),!($<c)){if($>p)break;x.push($)}}else for(;d<=m;++d)for(f=s-1;f>=1;--f)if($=d>0?f/r(-d):f*r(d),!($<c)){if($>p)break;x.push($)}x.length*2<g&&(x=Fs(c,p,g))}else x=Fs(d,m,Math.min(m-d,g)).map(r);return u?x.reverse():x},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Ie(l)).precision==null&&(l.trim=!0),l=no(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return p=>{let u=p/r(Math.round(o(p)));return u*s<s-.5&&(u*=s),u<=c?l(p):""}},e.nice=()=>n(lu(n(),{floor:i=>r(Math.floor(o(i))),ceil:i=>r(Math.ceil(o(i)))})),e}function so(){let t=mu(qa()).domain([1,10]);return t.copy=()=>ja(t,so()).base(t.base()),Da.apply(t,arguments),t}var De=Math.PI,Vs=2*De,te=1e-6,fu=Vs-te;function Fa(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function $u(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return Fa;let n=10**e;return function(s){this._+=s[0];for(let o=1,r=s.length;o<r;++o)this._+=Math.round(arguments[o]*n)/n+s[o]}}function Ia(t,e,n,s){return t===n&&e===s}function gu(t){let e=Math.floor(t);if(!(e<=15))return Ia;let n=10**e,s=function(o){return Math.round(o*n)};return function(o,r,a,i){return s(o)===s(a)&&s(r)===s(i)}}var oo=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?Fa:$u(t),this._equal=t==null?Ia:gu(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,o,r){this._append`C${+t},${+e},${+n},${+s},${this._x1=+o},${this._y1=+r}`}arcTo(t,e,n,s,o){if(t=+t,e=+e,n=+n,s=+s,o=+o,o<0)throw new Error(`negative radius: ${o}`);let r=this._x1,a=this._y1,i=n-t,l=s-e,c=r-t,p=a-e,u=c*c+p*p;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(u>te)if(!(Math.abs(p*i-l*c)>te)||!o)this._append`L${this._x1=t},${this._y1=e}`;else{let d=n-r,m=s-a,f=i*i+l*l,$=d*d+m*m,g=Math.sqrt(f),x=Math.sqrt(u),w=o*Math.tan((De-Math.acos((f+u-$)/(2*g*x)))/2),b=w/x,y=w/g;Math.abs(b-1)>te&&this._append`L${t+b*c},${e+b*p}`,this._append`A${o},${o},0,0,${+(p*d>c*m)},${this._x1=t+y*i},${this._y1=e+y*l}`}}arc(t,e,n,s,o,r){if(t=+t,e=+e,n=+n,r=!!r,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,p=1^r,u=r?s-o:o-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>te||Math.abs(this._y1-c)>te)&&this._append`L${l},${c}`,!!n){if(u<0&&(u=u%Vs+Vs),u>fu)this._append`A${n},${n},0,1,${p},${t-a},${e-i}A${n},${n},0,1,${p},${this._x1=l},${this._y1=c}`;else if(u>te){let d=t+n*Math.cos(o),m=e+n*Math.sin(o);if(u>=De&&this._equal(l,c,d,m)){u/=2;let f=s+u;this._append`A${n},${n},0,${+(u>=De)},${p},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(u>=De)},${p},${this._x1=d},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function xu(){return new oo}xu.prototype=oo.prototype;function ut(t){return function(){return t}}var yu=Math.cos,Xs=Math.sin,ye=Math.sqrt,ia=1e-12,En=Math.PI,Wf=En/2,Wa=2*En;function Ba(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new oo(e)}var Bf=Array.prototype.slice;function Ha(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function Ua(t){this._context=t}Ua.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function ro(t){return new Ua(t)}function Ka(t){return t[0]}function Va(t){return t[1]}function He(t,e){var n=ut(!0),s=null,o=ro,r=null,a=Ba(i);t=typeof t=="function"?t:t===void 0?Ka:ut(t),e=typeof e=="function"?e:e===void 0?Va:ut(e);function i(l){var c,p=(l=Ha(l)).length,u,d=!1,m;for(s==null&&(r=o(m=a())),c=0;c<=p;++c)!(c<p&&n(u=l[c],c,l))===d&&((d=!d)?r.lineStart():r.lineEnd()),d&&r.point(+t(u,c,l),+e(u,c,l));if(m)return r=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:ut(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:ut(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:ut(!!l),i):n},i.curve=function(l){return arguments.length?(o=l,s!=null&&(r=o(s)),i):o},i.context=function(l){return arguments.length?(l==null?s=r=null:r=o(s=l),i):s},i}function Xa(t,e,n){var s=null,o=ut(!0),r=null,a=ro,i=null,l=Ba(c);t=typeof t=="function"?t:t===void 0?Ka:ut(+t),e=typeof e=="function"?e:ut(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?Va:ut(+n);function c(u){var d,m,f,$=(u=Ha(u)).length,g,x=!1,w,b=new Array($),y=new Array($);for(r==null&&(i=a(w=l())),d=0;d<=$;++d){if(!(d<$&&o(g=u[d],d,u))===x)if(x=!x)m=d,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=d-1;f>=m;--f)i.point(b[f],y[f]);i.lineEnd(),i.areaEnd()}x&&(b[d]=+t(g,d,u),y[d]=+e(g,d,u),i.point(s?+s(g,d,u):b[d],n?+n(g,d,u):y[d]))}if(w)return i=null,w+""||null}function p(){return He().defined(o).curve(a).context(r)}return c.x=function(u){return arguments.length?(t=typeof u=="function"?u:ut(+u),s=null,c):t},c.x0=function(u){return arguments.length?(t=typeof u=="function"?u:ut(+u),c):t},c.x1=function(u){return arguments.length?(s=u==null?null:typeof u=="function"?u:ut(+u),c):s},c.y=function(u){return arguments.length?(e=typeof u=="function"?u:ut(+u),n=null,c):e},c.y0=function(u){return arguments.length?(e=typeof u=="function"?u:ut(+u),c):e},c.y1=function(u){return arguments.length?(n=u==null?null:typeof u=="function"?u:ut(+u),c):n},c.lineX0=c.lineY0=function(){return p().x(t).y(e)},c.lineY1=function(){return p().x(t).y(n)},c.lineX1=function(){return p().x(s).y(e)},c.defined=function(u){return arguments.length?(o=typeof u=="function"?u:ut(!!u),c):o},c.curve=function(u){return arguments.length?(a=u,r!=null&&(i=a(r)),c):a},c.context=function(u){return arguments.length?(u==null?r=i=null:i=a(r=u),c):r},c}var Hf=bu(ro);function Ga(t){this._curve=t}Ga.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function bu(t){function e(n){return new Ga(t(n))}return e._curve=t,e}var Uf=ye(3),wu=ye(1/3),Kf=wu*2,Ja=Xs(En/10)/Xs(7*En/10),Vf=Xs(Wa/10)*Ja,Xf=-yu(Wa/10)*Ja,Gf=ye(3),Jf=ye(3),Yf=ye(3)/2,vu=1/ye(12),Qf=(vu/2+1)*3;function Bt(){}function On(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function ao(t){this._context=t}ao.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:On(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:On(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function _u(t){this._context=t}_u.prototype={areaStart:Bt,areaEnd:Bt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:On(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function ku(t){this._context=t}ku.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:On(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ya(t,e){this._basis=new ao(t),this._beta=e}Ya.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],o=e[0],r=t[n]-s,a=e[n]-o,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*r),this._beta*e[i]+(1-this._beta)*(o+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var Zf=(function t(e){function n(s){return e===1?new ao(s):new Ya(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function Pn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function io(t,e){this._context=t,this._k=(1-e)/6}io.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:Pn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:Pn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var t$=(function t(e){function n(s){return new io(s,e)}return n.tension=function(s){return t(+s)},n})(0);function lo(t,e){this._context=t,this._k=(1-e)/6}lo.prototype={areaStart:Bt,areaEnd:Bt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Pn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var e$=(function t(e){function n(s){return new lo(s,e)}return n.tension=function(s){return t(+s)},n})(0);function co(t,e){this._context=t,this._k=(1-e)/6}co.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Pn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var n$=(function t(e){function n(s){return new co(s,e)}return n.tension=function(s){return t(+s)},n})(0);function po(t,e,n){var s=t._x1,o=t._y1,r=t._x2,a=t._y2;if(t._l01_a>ia){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,o=(o*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>ia){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,p=3*t._l23_a*(t._l23_a+t._l12_a);r=(r*c+t._x1*t._l23_2a-e*t._l12_2a)/p,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/p}t._context.bezierCurveTo(s,o,r,a,t._x2,t._y2)}function Qa(t,e){this._context=t,this._alpha=e}Qa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:po(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var s$=(function t(e){function n(s){return e?new Qa(s,e):new io(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Za(t,e){this._context=t,this._alpha=e}Za.prototype={areaStart:Bt,areaEnd:Bt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:po(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var o$=(function t(e){function n(s){return e?new Za(s,e):new lo(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ti(t,e){this._context=t,this._alpha=e}ti.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:po(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var r$=(function t(e){function n(s){return e?new ti(s,e):new co(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Mu(t){this._context=t}Mu.prototype={areaStart:Bt,areaEnd:Bt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function la(t){return t<0?-1:1}function ca(t,e,n){var s=t._x1-t._x0,o=e-t._x1,r=(t._y1-t._y0)/(s||o<0&&-0),a=(n-t._y1)/(o||s<0&&-0),i=(r*o+a*s)/(s+o);return(la(r)+la(a))*Math.min(Math.abs(r),Math.abs(a),.5*Math.abs(i))||0}function pa(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function qs(t,e,n){var s=t._x0,o=t._y0,r=t._x1,a=t._y1,i=(r-s)/3;t._context.bezierCurveTo(s+i,o+i*e,r-i,a-i*n,r,a)}function Gs(t){this._context=t}Gs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:qs(this,this._t0,pa(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,qs(this,pa(this,n=ca(this,t,e)),n);break;default:qs(this,this._t0,n=ca(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Su(t){this._context=new ei(t)}(Su.prototype=Object.create(Gs.prototype)).point=function(t,e){Gs.prototype.point.call(this,e,t)};function ei(t){this._context=t}ei.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,o,r){this._context.bezierCurveTo(e,t,s,n,r,o)}};function Nu(t){this._context=t}Nu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=ua(t),o=ua(e),r=0,a=1;a<n;++r,++a)this._context.bezierCurveTo(s[0][r],o[0][r],s[1][r],o[1][r],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function ua(t){var e,n=t.length-1,s,o=new Array(n),r=new Array(n),a=new Array(n);for(o[0]=0,r[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)o[e]=1,r[e]=4,a[e]=4*t[e]+2*t[e+1];for(o[n-1]=2,r[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=o[e]/r[e-1],r[e]-=s,a[e]-=s*a[e-1];for(o[n-1]=a[n-1]/r[n-1],e=n-2;e>=0;--e)o[e]=(a[e]-o[e+1])/r[e];for(r[n-1]=(t[n]+o[n-1])/2,e=0;e<n-1;++e)r[e]=2*t[e+1]-o[e+1];return[o,r]}function Cu(t,e){this._context=t,this._t=e}Cu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};var Au={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},Et=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],Ke=["","6 3","2 3","8 3 2 3","1 3","10 4"],Tu=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),Rn=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,Eu=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function Ou(t){let e=t.map(s=>Tu(s).map(Rn)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let o=s/255*(e.length-1),r=Math.min(Math.floor(o),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=Eu(e[r][a]+(o-r)*(e[r+1][a]-e[r][a]));n[4*s+3]=255}return n}var uo=new Map,Ue=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function re(t){let e=`${Ue()} ${t}`;return uo.has(e)||uo.set(e,Ou(Au[Ue()][t])),uo.get(e)}function Dn(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function Ot(t,e,n){let s=re(e),o=4*Dn(t,e,n);return`rgb(${s[o]}, ${s[o+1]}, ${s[o+2]})`}function jn(t,e,n){let s=re(e),o=4*Dn(t,e,n);return .2126*Rn(s[o])+.7152*Rn(s[o+1])+.0722*Rn(s[o+2])>.2?"#14161d":"#ffffff"}function ni(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}var Pu=Math.random().toString(36).slice(2,8),Lu=0,Y=()=>j(()=>`r${Pu}-${++Lu}`)[0];function z(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):zu(t,e)).replace("-","−").replace("e-","e−")}function zu(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function lt(t,e=2){return Number.isFinite(t)?t>0&&t<1e-4?"< 0.01 %":`${Number((100*t).toPrecision(e))} %`:"–"}function qn(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return z(t)}function si(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:o,rows:r,columns:a,axes:i}=t[e[0]],l=a??Array.from({length:s[1]},(c,p)=>p);n.push([i?i.join(" \\ "):e[0],...l]);for(let c=0;c<s[0];c++)n.push([r?.[c]??c,...Array.from({length:s[1]},(p,u)=>o[c*s[1]+u])])}else{let s=Math.max(0,...e.map(o=>t[o].shape.length));n.push(["array",...Array.from({length:s},(o,r)=>`index ${r}`),"value"]);for(let o of e){let{shape:r,data:a}=t[o];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=r.length-1,p=i;c>=0;c--)l[c]=p%r[c],p=Math.floor(p/r[c]);n.push([o,...l,a[i]])}}}return n.map(s=>s.map(Ru).join(",")).join(`\r
`)+`\r
`}function Ru(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var Fn=()=>h`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,ri="regard-theme",oi=()=>{try{return localStorage.getItem(ri)}catch{return null}};oi()&&ai(oi());function ai(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function In(){let e=ht()==="dark"?"light":"dark";return h`<button class="quiet" onClick=${()=>{ai(e);try{localStorage.setItem(ri,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function ht(){let[t,e]=j(Ue);return W(()=>ni(()=>e(Ue())),[]),t}function Z(){let t=R(null),[e,n]=j(0);return at(()=>{let s=new ResizeObserver(([o])=>n(Math.floor(o.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function I({title:t,note:e,class:n="",actions:s,children:o}){return h`<section class=${`panel ${n}`}>
    ${(t||s)&&h`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&h`<p class="note">${e}</p>`}
    ${o}
  </section>`}function B({error:t,waiting:e,lines:n=0,children:s}){return h`<div class="said" role="status" aria-live="polite">
    ${t?h`<p class="error">${t}</p>`:e?h`<div class="waiting"><p class=${n?"unseen":""}>${s??"computing …"}</p>
      ${Array.from({length:n},()=>h`<i class="skeleton" aria-hidden="true"></i>`)}</div>`:null}
  </div>`}var Rt=({value:t,digits:e})=>h`<span title=${t==null?"":String(t).replace("-","−")}>${z(t,e)}</span>`;function kt({place:t,class:e="",noted:n=!0,what:s,children:o}){return t!=="file"?h`<div class=${e||"as-itself"}>${o}</div>`:h`<fieldset class=${`saved-still ${e}`} disabled>${n&&h`<${ae} place=${t} what=${s} />`}${o}</fieldset>`}var ae=({place:t,what:e="change it"})=>t==="file"&&h`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,ho=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,be=(t,e,n,s)=>Number.isFinite(t)?Math.round(ho(t,e,n)):s,Ve=(t,e,n)=>e.includes(t)?t:n,Wn=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>be(s,e,n)):null,Ut=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;var J={left:66,right:22,top:10,bottom:42};function jt({series:t,label:e,xLabel:n,yLabel:s,logX:o,logY:r,marks:a=[],height:i=260,xMin:l,yMin:c,says:p=z}){let[u,d]=Z(),m=Y(),[f,$]=j(null),g=t.map(v=>({...v,points:v.x.map((O,P)=>[O,v.y[P]]).filter(([O,P])=>Dt(O,o)&&Dt(P,r))})),x=g.flatMap(v=>v.points.map(([O])=>O)).concat(a.map(v=>v.x).filter(v=>Dt(v,o))),w=g.flatMap(v=>[...v.points.map(([,O])=>O),...v.low??[],...v.high??[]]).filter(v=>Dt(v,r)),b=mo(x,o,[J.left,Math.max(d-J.right,J.left+10)],l),y=mo(w,r,[i-J.bottom,J.top],c),S=He().defined(([v,O])=>Dt(v,o)&&Dt(O,r)).x(([v])=>b(v)).y(([,v])=>y(v)),A=[...new Set(x)].sort((v,O)=>v-O),k=v=>{let O=v.clientX-v.currentTarget.getBoundingClientRect().left;A.length&&$(A.reduce((P,L)=>Math.abs(b(L)-O)<Math.abs(b(P)-O)?L:P))},T=v=>{let O={ArrowRight:1,ArrowLeft:-1}[v.key];!O||!A.length||(v.preventDefault(),$(A[Math.max(0,Math.min(A.length-1,(f===null?-1:A.indexOf(f))+O))]))},N=f===null?[]:g.map((v,O)=>({name:v.name,i:O,y:v.points.find(([P])=>P===f)?.[1]})).filter(v=>v.y!==void 0);return h`<figure class="chart" ref=${u}>
    ${t.length>1&&h`<ul class="keys">${t.map((v,O)=>h`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${v.class??Et[O%6]} stroke-dasharray=${v.dash??Ke[O%6]} /></svg>${v.name}</li>`)}</ul>`}
    ${d>0&&h`<svg width=${d} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${Du(g,n,p)}`} aria-describedby=${m}
      onPointerMove=${k} onPointerLeave=${()=>$(null)} onKeyDown=${T} onBlur=${()=>$(null)}>
      <${li} x=${b} y=${y} logX=${o} logY=${r} xLabel=${n} yLabel=${s} width=${d} height=${i} says=${p} />
      ${a.map(v=>Dt(v.x,o)&&h`<g class="mark"><line x1=${b(v.x)} x2=${b(v.x)} y1=${J.top} y2=${i-J.bottom} />
        <text x=${b(v.x)+4} y=${J.top+10}>${v.name}</text></g>`)}
      ${g.map((v,O)=>h`<g>
        ${v.low&&h`<path class=${`band ${v.class??Et[O%6]}`} d=${Xa().x((P,L)=>b(v.x[L])).y0((P,L)=>y(v.low[L])).y1((P,L)=>y(v.high[L]))(v.x)} />`}
        <path class=${`curve ${v.class??Et[O%6]}`} stroke-dasharray=${v.dash??Ke[O%6]} d=${S(v.points)} />
        ${v.points.length<2&&v.points.map(([P,L])=>h`<circle class=${`dot ${v.class??Et[O%6]}`} cx=${b(P)} cy=${y(L)} r="3" />`)}
      </g>`)}
      ${f!==null&&h`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${J.top} y2=${i-J.bottom} />
        ${N.map(v=>h`<circle class=${`dot ${g[v.i].class??Et[v.i%6]}`} cx=${b(f)} cy=${y(v.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?h`<span class="hint">point, or use the arrow keys, to read numbers</span>`:h`${n} ${p(f)}: ${N.map((v,O)=>h`${O?" · ":""}${v.name} <b>${p(v.y)}</b>`)}`}</figcaption>
  </figure>`}var Dt=(t,e)=>Number.isFinite(t)&&(!e||t>0);function mo(t,e,n,s){let[o,r]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(o=Math.min(o,s)),o===r&&([o,r]=e?[o/2,r*2]:[o-.5,r+.5]);let a=(e?so():Be()).domain([o,r]).range(n);return e&&r/o<1e3?a:a.nice()}function Du(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function li({x:t,y:e,logX:n,logY:s,xLabel:o,yLabel:r,width:a,height:i,says:l}){let c=(u,d,m)=>{let f=u.ticks(m);return d?f.filter($=>f.length<=m+2||Number.isInteger(Math.round(Math.log10($)*1e9)/1e9)):f},p=i-J.bottom;return h`<g class="axes">
    ${c(e,s,5).map(u=>h`<g><line x1=${J.left} x2=${a-J.right} y1=${e(u)} y2=${e(u)} /><text x=${J.left-7} y=${e(u)} dy="0.35em" text-anchor="end">${ii(u,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(u=>h`<g><line x1=${t(u)} x2=${t(u)} y1=${p} y2=${p+4} /><text x=${t(u)} y=${p+17} text-anchor="middle">${ii(u,l)}</text></g>`)}
    <text class="name" x=${(J.left+a-J.right)/2} y=${i-6} text-anchor="middle">${o}</text>
    <text class="name" transform=${`translate(13,${(J.top+p)/2}) rotate(-90)`} text-anchor="middle">${r}</text>
  </g>`}var ii=(t,e)=>Math.abs(t)>=1e4?qn(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function ci({names:t,groups:e,label:n,yLabel:s,logY:o,height:r=240,says:a=z}){let[i,l]=Z(),c=Object.entries(e),p=c.flatMap(([,$])=>$).filter($=>Dt($,o)),u=mo(o?p:[...p,0],o,[r-J.bottom,J.top]),d=(l-J.left-J.right)/Math.max(t.length,1),m=Math.min(38,d*.72/c.length),f=o?r-J.bottom:u(0);return h`<figure class="chart" ref=${i}>
    ${c.length>1&&h`<ul class="keys">${c.map(([$],g)=>h`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${Et[g%6]} /></svg>${$}</li>`)}</ul>`}
    ${l>0&&h`<svg width=${l} height=${r} role="img" aria-label=${`${n}. ${c.map(([$,g])=>t.map((x,w)=>`${x} ${$} ${a(g[w])}`).join(", ")).join("; ")}`}>
      <${li} x=${null} y=${u} logY=${o} xLabel="" yLabel=${s} width=${l} height=${r} says=${a} />
      ${t.map(($,g)=>h`<g>
        ${c.map(([x,w],b)=>Dt(w[g],o)&&h`<rect class=${Et[b%6]} rx="2" x=${J.left+(g+.5)*d-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(u(w[g]),f)} height=${Math.abs(f-u(w[g]))}><title>${`${$}, ${x}: ${a(w[g])}`}</title></rect>`)}
        <text class="tick" x=${J.left+(g+.5)*d} y=${r-J.bottom+17} text-anchor="middle">${$.length>d/6?`${$.slice(0,Math.max(2,Math.floor(d/6)-1))}…`:$}</text>
      </g>`)}
    </svg>`}
  </figure>`}function wt({off:t,onClick:e,children:n,...s}){return h`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function ct({label:t,value:e,min:n,max:s,step:o,onChange:r,says:a=z,disabled:i}){let l=Y();return h`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${o} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>r(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function pt({label:t,value:e,options:n,onChange:s}){let o=Y();return h`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([r,a])=>h`<label><input type="radio" name=${o} value=${r} checked=${r===e}
        onChange=${()=>s(r)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function nt({label:t,value:e,options:n,onChange:s,hidden:o}){let r=Y(),a=([i,l])=>Array.isArray(l)?h`<optgroup label=${i}>${l.map(a)}</optgroup>`:h`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return h`<div class="control">
    <label for=${r} class=${o?"unseen":""}>${t}</label>
    <select id=${r} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function Mt({label:t,value:e,onChange:n}){return h`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function St({label:t,value:e,onChange:n,live:s,lines:o,placeholder:r,spellcheck:a=!1,max:i}){let l=Y(),[c,p]=j(null),u=()=>(c!==null&&c!==e&&n(c),p(null)),d={id:l,placeholder:r,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):p(m.target.value),onBlur:u,onKeyDown:m=>m.key==="Enter"&&(!o||m.ctrlKey||m.metaKey)&&u()};return h`<div class="control text"><label for=${l}>${t}</label>
    ${o?h`<textarea rows=${o} ...${d}></textarea>`:h`<input type="text" ...${d} />`}</div>`}function we({label:t,value:e,step:n=.1,least:s=-1e6,most:o=1e6,onChange:r,disabled:a}){let[i,l]=j(null),c=R(null),p=R(null),u=R(e);u.current=e;let d=f=>Number(f.toFixed(6)),m=f=>{l(null);let $=Number(String(f).replace("−","-").replace(",","."));if(String(f).trim()!==""&&$>=s&&$<=o)return r($);p.current.setCustomValidity(`a number from ${z(s)} to ${z(o)}`),p.current.reportValidity(),setTimeout(()=>p.current?.setCustomValidity(""),2500)};return h`<input ref=${p} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${a}
    value=${i??String(e).replace("-","−")} data-draft=${i===null?null:""}
    onInput=${f=>l(f.target.value)}
    onBlur=${f=>i!==null&&m(f.target.value)}
    onKeyDown=${f=>{let $={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[f.key];f.key==="Enter"?m(f.target.value):f.key==="Escape"?l(null):$&&(f.preventDefault(),r(u.current=d(u.current+$*n)))}}
    onPointerDown=${f=>c.current={x:f.clientX,from:e,id:f.pointerId}}
    onPointerMove=${f=>{let $=c.current;!$||Math.abs(f.clientX-$.x)<4&&!$.moving||($.moving=!0,f.target.setPointerCapture($.id),r(d($.from+Math.round((f.clientX-$.x)/4)*n)))}}
    onPointerUp=${()=>c.current=null}
    onPointerCancel=${()=>c.current=null} />`}function Kt(t,e,n,s=n){let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(o===void 0)return null;t.preventDefault();let r=e+o;return r<0||r>=n?e:r}var Bn={size:13,line:19,letter:6.8},ju=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, .word, [data-pictured], th button, :has(> svg))",ui=`[data-unpictured], script, style, noscript, template, title, ${ju}`;function $o(t,e="",n=""){let s=hi(t)??t.getBoundingClientRect(),o=n?qu(n,Math.ceil(s.width)):[],[r,a]=[Math.ceil(s.width)+32,Math.ceil(s.height)+32],i=a+o.length*Bn.line,l={clips:0,defs:""},c=ft(Iu(t))??{fill:"#ffffff"},p=st("g",{transform:`translate(${Ge(16-s.left)},${Ge(16-s.top)})`},mi(t,l));return`<?xml version="1.0" encoding="UTF-8"?>
${st("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:r,height:i,viewBox:`0 0 ${r} ${i}`},`${st("title",{},ve(e)||" ")}${l.defs&&st("defs",{},l.defs)}${st("rect",{width:r,height:i,...c})}${p}${o.map((u,d)=>Fu(u,a+d*Bn.line,t)).join("")}`)}
`}function hi(t){let e=getComputedStyle(t);if(t.matches(ui)||e.display==="none"||e.position==="fixed"||/inset\(50%/.test(e.clipPath))return null;let o=(!ft(e.backgroundColor)&&[...t.childNodes].every(i=>i.nodeType===Node.ELEMENT_NODE||!i.data?.trim())&&t.children.length&&!(t instanceof SVGElement)?[...t.children].map(hi).filter(Boolean):[t.getBoundingClientRect()]).filter(i=>i.width>0&&i.height>0);if(!o.length)return null;let[r,a]=[Math.min(...o.map(i=>i.left)),Math.min(...o.map(i=>i.top))];return{left:r,top:a,width:Math.max(...o.map(i=>i.left+i.width))-r,height:Math.max(...o.map(i=>i.top+i.height))-a}}function qu(t,e){let n=Math.max(20,Math.floor(e/Bn.letter));return t.split(/\s+/).reduce((s,o)=>s.length&&`${s.at(-1)} ${o}`.length<=n?[...s.slice(0,-1),`${s.at(-1)} ${o}`]:[...s,o],[])}function Fu(t,e,n){let s=getComputedStyle(n);return st("text",{x:16,y:e+2,...ft(s.color),"font-family":s.fontFamily,"font-size":Bn.size},ve(t))}async function di(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:o,naturalHeight:r}=s,a=Math.min(e,16e3/Math.max(o,r),Math.sqrt(2e8/(o*r))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(o*a),Math.round(r*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function Iu(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(ft(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function mi(t,e){if(t.matches(ui))return"";let n=getComputedStyle(t),s=Number(n.opacity),o=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||o)return"";let r=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[r],l=a?i.map(u=>Bu(t,n,u)).join(""):"",c={canvas:Xu,svg:Yu,img:Gu,input:Uu}[t.localName],p=l;if(c)p+=a?c(t,n,r):"";else{t.localName==="mfrac"&&t.children.length===2&&(p+=Ku(t,n,r)),t.localName==="msqrt"&&(p+=Vu(t,n,r));let u=[...t.childNodes].map(d=>{if(d.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?Hu(d,n):"";let m=t.localName==="details"&&!t.open&&d.localName!=="summary";return d.nodeType!==Node.ELEMENT_NODE||m?"":mi(d,e)});p+=Wu(t,n,r,e,u.join(""))}return s<1&&p?st("g",{opacity:s},p):p}function Wu(t,e,n,s,o){let r=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!o||!r||!a)return o;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=st("clipPath",{id:i},st("rect",l)),st("g",{"clip-path":`url(#${i})`},o)}function Bu(t,e,{left:n,top:s,width:o,height:r}){if(o<=0||r<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,o/2,r/2),i=(g,x)=>st("rect",{x:n-g,y:s-g,width:o+2*g,height:r+2*g,rx:a?a+g:null,...x}),l=(g,x,w)=>i(w,{fill:"none",...ft(x,"stroke"),"stroke-width":g}),c=ft(e.backgroundColor),p=c?i(0,c):"",[u,d,m,f]=["Top","Right","Bottom","Left"].map(g=>({size:e[`border${g}Style`]==="none"?0:parseFloat(e[`border${g}Width`]),colour:e[`border${g}Color`]}));if([d,m,f].every(({size:g,colour:x})=>g===u.size&&x===u.colour))u.size>0&&ft(u.colour)&&(p+=l(u.size,u.colour,-u.size/2));else{let[g,x]=[n+o,s+r],w=[[u,n,s,g,s],[d,g,s,g,x],[m,n,x,g,x],[f,n,s,n,x]];for(let[{size:b,colour:y},S,A,k,T]of w){let N=b>0&&ft(y,"stroke");N&&(p+=st("line",{x1:S,y1:A,x2:k,y2:T,...N,"stroke-width":b}))}}let $=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&$>0&&!t.matches(":focus")&&(p+=l($,e.outlineColor,parseFloat(e.outlineOffset)+$/2)),p}function Hu(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let o=document.createRange(),r=(c,p)=>(o.setStart(t,c),o.setEnd(t,p),[...o.getClientRects()].filter(u=>u.width>0&&u.height>0)),a=n.trimEnd().length,i=r(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return pi(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let p=n.codePointAt(c)>65535?2:1,u=r(c,c+p).at(-1),d=l.at(-1);u&&(!d||Math.abs(u.top-d.from.top)>u.height/2)?l.push({text:n.slice(c,c+p),from:u,to:u}):u?(d.text+=n.slice(c,c+p),/\S/.test(n[c])&&(d.to=u)):d&&(d.text+=n.slice(c,c+p)),c+=p}return l.map(c=>pi(c.text,e,c.from,c.to)).join("")}function pi(t,e,n,s){let r=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?r.toUpperCase():r,i=ft(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=fi(e),p=a.length>1&&s.right>n.left?s.right-n.left:null,u=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return st("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:p,lengthAdjust:p===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":u?"italic":null},ve(a))}var fo=new Map;function fi(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!fo.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:o}=n.measureText("x");fo.set(e,{up:s,down:o})}return fo.get(e)}function Uu(t,e,n){let{up:s,down:o}=fi(e),r=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return st("text",{x:r,y:n.top+n.height/2+(s-o)/2,...ft(e.color),...a},ve(t.value))}function Ku(t,e,n){let[s,o]=[...t.children].map(i=>i.getBoundingClientRect()),r=(s.bottom+o.top)/2,a={...ft(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return st("line",{x1:n.left+1,x2:n.right-1,y1:r,y2:r,...a})}function Vu(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,o=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[o*.25,n.height*.54],[o*.6,n.height],[o,1],[n.width,1]].map(([i,l])=>`${Ge(n.left+i)},${Ge(n.top+l)}`).join(" ");return st("polyline",{points:a,fill:"none",...ft(e.color,"stroke"),"stroke-width":1})}function Xu(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return $i(t.toDataURL("image/png"),e,n);let[o,r]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let p=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===p;)c++;let[u,d]=[c<s.columns?o/2:0,i<s.rows-1?r/2:0];a+=st("rect",{x:n.left+l*o,y:n.top+i*r,width:(c-l)*o+u,height:r+d,...ft(p)})}return st("g",{"shape-rendering":"crispEdges"},a)}function Gu(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),$i(s.toDataURL("image/png"),e,n)}var $i=(t,e,{left:n,top:s,width:o,height:r})=>t.length<10?"":st("image",{x:n,y:s,width:o,height:r,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),gi={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},Ju=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function Yu(t,e,n){let[s,o]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),r=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:o,overflow:r};return st("svg",a,[...t.childNodes].map(i=>xi(i,gi)).join(""))}function xi(t,e){if(t.nodeType===Node.TEXT_NODE)return ve(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!Ju.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let o={...e};for(let a of Object.keys(gi)){delete s[a];let i=/^(fill|stroke)$/.test(a)?Qu(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=o[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let r=[...t.childNodes].map(a=>xi(a,o)).join("");return st(t.localName==="a"?"g":t.localName,s,r)}function Qu(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=ft(t);return e?e["fill-opacity"]?t:e.fill:"none"}function ft(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:Zu(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let o=n.slice(1,4).map(r=>Math.round(Number(r)).toString(16).padStart(2,"0")).join("");return{[e]:`#${o}`,[`${e}-opacity`]:s<1?s:null}}var Xe=null;function Zu(t){Xe??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),Xe.clearRect(0,0,1,1),Xe.fillStyle=t,Xe.fillRect(0,0,1,1);let[e,n,s]=Xe.getImageData(0,0,1,1).data;return`#${[e,n,s].map(o=>o.toString(16).padStart(2,"0")).join("")}`}function st(t,e={},n=""){let s=`<${t}`;for(let[o,r]of Object.entries(e))r!=null&&r!==""&&(s+=` ${o}="${ve(typeof r=="number"?Ge(r):r)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var Ge=t=>String(Math.round(t*100)/100),ve=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function ot({name:t,of:e,caption:n,numbers:s,saves:o,ask:r,view:a,state:i,place:l}){let[c,p]=j(!1),[u,d]=j({text:"",error:!1}),[m,f]=j(!1),$=R(null),g=Y(),x=A=>{p(!1),A&&$.current?.querySelector("button").focus()};W(()=>{if(!c)return;$.current.querySelector("[role=menuitem]").focus();let A=k=>$.current?.contains(k.target)||p(!1);return document.addEventListener("pointerdown",A),()=>document.removeEventListener("pointerdown",A)},[c]);let w=()=>$o(e.current,t,n),b=[["Picture, SVG",async()=>Je(t,"svg",new Blob([w()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>Je(t,"png",await di(w()))],s&&["Numbers, CSV",async()=>Je(t,"csv",new Blob([si(await s())],{type:"text/csv;charset=utf-8"}))],s&&l!=="file"&&["Numbers, NPZ",async()=>Je(t,"npz",await th(r,await s()))],o&&l!=="file"&&["This view, HTML",async()=>Je(t,"html",await nh(r,a,i,o()))],l==="page"&&["Copy a link",async()=>eh(location.href)]].filter(Boolean),y=async A=>{f(!0),d({text:"",error:!1});try{d({text:await A(),error:!1}),x(!0)}catch(k){d({text:k.message,error:!0})}f(!1)};return h`<div class="menu" ref=${$} data-unpictured onKeyDown=${A=>{if(A.key==="Escape"&&c)return A.stopPropagation(),x(!0);if(!c){A.key==="ArrowDown"&&(A.preventDefault(),p(!0));return}let k=[...$.current.querySelectorAll("[role=menuitem]")],T=k.indexOf(document.activeElement);T>=0&&A.key!=="ArrowLeft"&&A.key!=="ArrowRight"&&k[Kt(A,T,k.length,1)??T].focus()}}
    onFocusOut=${A=>A.relatedTarget&&!$.current.contains(A.relatedTarget)&&x(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(c)} aria-controls=${c?g:null} onClick=${()=>p(!c)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${c&&h`<div id=${g} role="menu" aria-label="Export" aria-busy=${String(m)}>
      ${b.map(([A,k])=>h`<button role="menuitem" tabindex="-1" disabled=${m} onClick=${()=>y(k)}>${A}</button>`)}
      ${m&&h`<p class="waiting" role="none">saving …</p>`}
      ${u.error&&h`<p class="error" role="none">${u.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${u.text}</span>
  </div>`}function Je(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,o=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(o),o.click(),o.remove(),setTimeout(()=>URL.revokeObjectURL(o.href),6e4),`${s} was saved`}async function th(t,e){let n=({shape:i,data:l,axes:c=[],rows:p,columns:u})=>({shape:i,data:Os(new Uint8Array(Float64Array.from(l,d=>d??NaN).buffer)),axes:c,rows:Array.from(p??[],String),columns:Array.from(u??[],String)}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:o,data:r,offset:a}=await t("npz",s);return new Blob([new Uint8Array(r,a)],{type:o.kind})}async function eh(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function nh(t,e,n,s){let o=await t("frame",{}),r=[...new Map(s.map(p=>[JSON.stringify(p),p])).values()],a=[],i=0;for(let p=0;p<r.length;p+=4){let u=r.slice(p,p+4);if((await Promise.all(u.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let $=m.packed instanceof Uint8Array?Os(m.packed):m;a.push([...u[f],$]),i+=typeof $=="string"?$.length:JSON.stringify($).length}),i>o.max_answers)throw new Error(`a saved file must have at most ${o.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:o.version,date:l});return new Blob([o.before,c.replaceAll("<","\\u003c"),o.after],{type:"text/html;charset=utf-8"})}var yi=new WeakMap;function xo(t,e,n,s,o=s){if(s===1&&o===1)return{data:t,rows:e,columns:n,down:s,right:o,at:null};let r=yi.get(t);if(r?.down===s&&r.right===o)return r;let[a,i]=[Math.ceil(e/s),Math.ceil(n/o)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:o,at:new Uint32Array(a*i)};for(let c=0,p=0;c<e;c++)for(let u=0,d=Math.floor(c/s)*i,m=o;u<n;u++,p++){let[f,$]=[t[p]<0?-t[p]:t[p],l.data[d]<0?-l.data[d]:l.data[d]];f>$&&(l.data[d]=t[p],l.at[d]=p+1),--m===0&&(d++,m=o)}return yi.set(t,l),l}function Kn(t,e,n,s,o,r,a=2048){let i=xo(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(re(o).buffer),c=new ImageData(i.columns,i.rows),p=new Uint32Array(c.data.buffer);for(let u=0;u<p.length;u++)p[u]=l[Dn(i.data[u],o,r)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(u,d)=>Ot(i.data[u*i.columns+d],o,r)}}var go=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],Hn=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Un=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>Hn(n,e).length));function wi(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=go[0].least?s:Math.min(n-Un(t,go[1]),600)}function Pt(t){let{data:e,rows:n,columns:s,scale:o="weight",limit:r=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:p,onPoint:u,says:d,side:m=520,titles:f,tip:$}=t,g=ht(),x=R(null),w=Y(),[b,y]=j(null),S=Math.max(Math.min(m/Math.max(n,s),56),.001),[A,k]=[S*s,S*n],T=go.find(({least:_})=>S>=_),N=T&&l&&Un(l,T)-T.space>S,v=(T&&i?Un(i,T):0)+(f?18:0),O=(T&&l?6+(N?Un(l,T):T.space):0)+(f?18:0),P={fontSize:`${Math.min(T?.size,S)}px`};at(()=>{Kn(x.current,e,n,s,o,r)},[e,n,s,o,r,g]),W(()=>y(null),[n,s]);let L=_=>{let C=x.current.getBoundingClientRect(),[q,K]=[Math.floor((_.clientY-C.top)/C.height*n),Math.floor((_.clientX-C.left)/C.width*s)];return q>=0&&K>=0&&q<n&&K<s?[q,K]:null},F=_=>(y(_),u?.(..._??[null,null])),E=d??((_,C)=>`${i?.[_]??`row ${_}`} to ${l?.[C]??`column ${C}`}: ${z(e[_*s+C])}`),D=_=>{let[C,q]=b??c??[0,0],K=_.shiftKey?Math.max(1,Math.round(s/16)):1,H={ArrowUp:[-K,0],ArrowDown:[K,0],ArrowLeft:[0,-K],ArrowRight:[0,K],Home:[0,-q],End:[0,s-1-q]}[_.key];H?(_.preventDefault(),F(b?[bi(C+H[0],n),bi(q+H[1],s)]:[C,q])):(_.key==="Enter"||_.key===" ")&&b&&(_.preventDefault(),p?.(C,q))},M=(_,C)=>_&&h`<rect class=${C} x=${v+_[1]*S} y=${O+_[0]*S} width=${Math.max(S,2)} height=${Math.max(S,2)} />`;return h`<div class="heatmap" style=${{width:`${v+A}px`,height:`${O+k}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${w}
    onKeyDown=${D} onBlur=${()=>F(null)} onPointerLeave=${()=>F(null)}
    onPointerMove=${_=>F(L(_))}
    onClick=${_=>L(_)&&p?.(...L(_))}>
    <canvas ref=${x} style=${{left:`${v}px`,top:`${O}px`,width:`${A}px`,height:`${k}px`}}></canvas>
    <svg width=${v+A} height=${O+k} aria-hidden="true">
      ${f&&h`<text class="title" x=${v} y="12">${f[1]}</text><text class="title" transform=${`translate(12,${O+k}) rotate(-90)`}>${f[0]}</text>`}
      ${$&&b&&h`<rect class="lit" x=${v} y=${O+b[0]*S} width=${A} height=${S} />
        <rect class="lit" x=${v+b[1]*S} y=${O} width=${S} height=${k} />`}
      ${T&&i?.map((_,C)=>h`<text class=${`tick${$&&b?.[0]===C?" now":""}`} style=${P} x=${v-6} y=${O+(C+.5)*S} dy="0.35em" text-anchor="end">${Hn(_,T)}</text>`)}
      ${T&&l?.map((_,C)=>N?h`<text class=${`tick${$&&b?.[1]===C?" now":""}`} style=${P} transform=${`translate(${v+(C+.5)*S},${O-6}) rotate(-90)`} dy="0.35em">${Hn(_,T)}</text>`:h`<text class=${`tick${$&&b?.[1]===C?" now":""}`} style=${P} x=${v+(C+.5)*S} y=${O-6} text-anchor="middle">${Hn(_,T)}</text>`)}
      ${M(c,"pinned")}${M(b,"cursor")}
    </svg>
    ${$&&b&&h`<div class=${`tip${b[1]>s/2?" before":""}`} data-unpictured aria-hidden="true"
      style=${{left:`${v+(b[1]+(b[1]>s/2?0:1))*S}px`,top:`${O+(b[0]+1)*S}px`}}>${$(...b)}</div>`}
    <span id=${w} class="unseen" aria-live="polite">${b?E(...b):c?E(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var bi=(t,e)=>Math.max(0,Math.min(e-1,t));function _e({scale:t="weight",limit:e=1,label:n="weight"}){let s=ht(),o=R(null);return at(()=>{let r=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>r+(e-r)*l/127);Kn(o.current,a,1,128,t,e)},[t,e,s]),h`<div class="legend"><span>${t==="signed"?z(-e,2):0}</span><canvas ref=${o} aria-hidden="true"></canvas><span>${z(e,2)}</span><span class="of">${n}</span></div>`}function Mi({ask:t,row:e,document:n,state:s,place:o}){let[r,a]=j(!1),{response:i,error:l,waiting:c}=Q(t,"claim",{id:e.id,run:r}),p=R(null),u=i?.id===e.id?i:null,d=u?.verdict??e.verdict,m=u!==null&&u.verdict===null;return h`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!u?.verdict)}>
    <div ref=${p}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${fh} verdict=${d} /><span class="note">${m?"a run decides":Ye(d).about}</span>
        <${ot} name=${`claim-${e.id}`} of=${p} numbers=${u?.chart?()=>mh(u.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${o} /></div>
      ${u?.verdict&&!u.verdict.startsWith(u.expected)&&h`<p class="error">The catalogue expects: ${u.expected}.</p>`}
    </header>
    ${u?h`<${ie} class="claims-question-asked" text=${u.asks} />`:h`<p class="claims-question-asked">${e.asks}</p>`}
    <${B} error=${l} waiting=${c&&!r}>checking …</${B}>
    ${m&&h`<${oh} claim=${u} running=${r&&c} place=${o} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${u&&h`<div class="claims-versions">${u.versions.filter(f=>f.role!=="twin").map(f=>h`<${Si} version=${f} />`)}</div>
      ${u.chart&&h`<${uh} chart=${u.chart} />`}`}</div>
    ${u&&h`<${sh} claim=${u} ask=${t} place=${o} />`}
  </article>`}function sh({claim:t,ask:e,place:n}){let s=t.versions.find(o=>o.role==="twin");return h`
    ${t.see&&n==="page"&&h`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&h`<section class="claims-box">
      <h3>Try an answer</h3><${ah} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${ie} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&h`<dl class="claims-letters">${t.quantities.map(([o,r])=>h`<${ie} tag="dt" text=${o} /><${ie} tag="dd" text=${r} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${Si} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${ie} text=${t.method} />
      ${t.source&&h`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&h`<p>In the code: ${t.code.map((o,r)=>h`${r?", ":""}<code>${o}</code>`)}</p>`}
      ${t.verdict&&h`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var vi=6;function Si({version:t}){let e=[...t.findings].sort((s,o)=>s.holds-o.holds),n=e.length>vi+1?vi:e.length;return h`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${ie} class="claims-text" text=${t.text} />
    ${t.formula&&h`<${ie} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&h`<${_i} findings=${e.slice(0,n)} />`}
    ${n<e.length&&h`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${_i} findings=${e.slice(n)} /></details>`}
  </section>`}var _i=({findings:t})=>h`<ul class="claims-findings">${t.map(e=>h`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function oh({claim:t,running:e,place:n,onRun:s,onStop:o}){let[r,a]=j(0);return W(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),h`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?h`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(r,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(r)} s</span>
          <button onClick=${o}>Stop</button></div>`:n==="file"?h`<${ae} place=${n} what="run it" />`:h`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function ie({text:t,tag:e="div",class:n,label:s}){let o=R(null);return at(()=>{if(o.current.innerHTML=t,!s)return;o.current.scrollWidth>o.current.clientWidth+1?o.current.tabIndex=0:o.current.removeAttribute("tabindex")},[t,s]),h`<${e} ref=${o} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var rh={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function ah({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return h`<div class="claims-questions">
    ${n.map(s=>{let o=e.filter(r=>r.question===s);return h`<div class="claims-question" key=${s} data-question=${s}>
        <p>${o[0].text}</p>
        ${o.map((r,a)=>h`<${ih} key=${`${s} ${r.part}`} ask=${t} exercise=${r} tells=${r.how!==o[a-1]?.how} />`)}
      </div>`})}
    <${ph} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var yo=new Map;function ih({ask:t,exercise:e,tells:n}){let{question:s,part:o,asks:r,kind:a,how:i,choices:l,examples:c}=e,p=Y(),u=`${s} ${o}`,[d,m]=j(yo.get(u)??""),[f,$]=j(yo.get(u)??null),{response:g,error:x,waiting:w,of:b}=Q(t,"answer",f===null?null:{question:s,part:o,answer:f}),y=k=>{m(k),k.trim()&&(yo.set(u,k.trim()),$(k.trim()))},S=a==="truth"?[["true","true"],["false","false"]]:a==="choice"?Object.entries(l):[],A=f!==null&&d.trim()===f&&b===JSON.stringify({question:s,part:o,answer:f});return h`<div class="claims-try" data-part=${o}>
    ${r&&h`<p class="claims-asks" id=${`${p}-asks`}>${r}</p>`}
    ${a==="select"&&h`<ul>${Object.entries(l).map(([k,T])=>h`<li><b>${k}</b> ${T}</li>`)}</ul>`}
    ${a==="text"?h`<p class="note">Write ${i}: hand it in by a file, for regard grade.</p>`:S.length?h`<div class=${`claims-options ${a}`} role="group" aria-label=${r||"Your answer"}>${S.map(([k,T])=>h`<button aria-pressed=${String(f===k)} onClick=${()=>y(k)}>
            ${a==="choice"?h`<b>${k}</b> ${T}`:T}
          </button>`)}</div>`:h`<form class="claims-form" onSubmit=${k=>(k.preventDefault(),y(d))}>
          <label class="unseen" for=${p}>${`Your answer${r?`: ${r}`:""}`}</label>
          <input id=${p} type="text" value=${d} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${p}-how`}
            placeholder="your answer" onInput=${k=>m(k.target.value)} />
          <button class="main" type="submit" disabled=${!d.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${p}-how`}>Write ${i}.</p>
        ${c.length>0&&h`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(k=>h`<button class="claims-example" onClick=${()=>y(k)}>${k}</button>`)}</p>`}`}
    <${B} error=${x} waiting=${w}>marking …</${B}>
    <div role="status" aria-live="polite">${A&&!x&&h`<${lh} mark=${g} />`}</div>
  </div>`}function lh({mark:t}){let[e,n]=rh[t.word],s=t.counterexample,o=Object.entries(s?.breakdown??{});return h`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&h`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&h`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&h`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([r,a])=>`${r} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${o.length>0&&h`<small>${o.map(([r,a],i)=>`${i?" + ":" = "}${a} (${r})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(r=>h`<p>${r}</p>`)}
  </div>`}var ch={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function ph({kinds:t}){let e=Object.entries(ch).filter(([n])=>t.has(n));return e.length?h`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>h`<dt>${n}</dt><dd>${s.map((o,r)=>h`${r?", ":""}<code>${o}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function uh({chart:t}){return h`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&h`<${jt} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${Ni(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&h`<${ci} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${hh} chart=${t} />`}
    ${t.kind==="matrices"&&h`<${dh} chart=${t} />`}
  </div>`}var Ni=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,o])=>({name:s,x:t,y:o,low:n?.[s]?.[0],high:n?.[s]?.[1]})),Ci=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function hh({chart:t}){return h`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>h`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>h`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>h`<td class="number"><${Rt} value=${s[n]} /></td>`)}</tr>`)}</tbody>
  </table></div>`}function dh({chart:t}){let[e,n]=j(null),[s,o]=Z(),r=X(()=>Ci(t),[t]),{signed:a,limit:i}=t,l=r.length===1?1:Math.max(2,Math.floor((o+24)/(r.length>4?164:250))),c=Math.min(r.length===1?420:260,(o-24*(l-1))/l-(t.rows?30:0)),p=a?"signed":"weight",u=(m,f)=>m??(f<=12?Array.from({length:f},($,g)=>String(g+1)):void 0),d=(m,f,$)=>{let[g,x]=[t.rows?.[f]??f+1,t.columns?.[$]??$+1];return`${m.name}, ${t.row_label} ${g}, ${t.column_label} ${x}: ${z(m.values[f*m.columns+$])}`};return h`<div ref=${s}>
    ${o>0&&h`<div class="claims-panels">${r.map(m=>h`<figure>
      <figcaption>${m.name}</figcaption>
      <${Pt} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${p} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${u(t.rows,m.rows)} columnNames=${u(t.columns,m.columns)}
        says=${(f,$)=>d(m,f,$)} onPoint=${(f,$)=>n(f===null?null:d(m,f,$))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${_e} scale=${p} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function mh(t){if(t.kind==="matrices"){let n=({rows:s,columns:o,values:r})=>({shape:[s,o],data:r,rows:t.rows,columns:t.columns});return Object.fromEntries(Ci(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...ki(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:o,high:r}of Ni(t))e.push([n,s],...o?[[`${n}, low`,o],[`${n}, high`,r]]:[]);return{[t.y_label]:ki(e)}}var ki=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),bo={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},Ye=t=>bo[t.split(":")[0]],Ai=({verdict:t})=>h`<span class=${`claims-sign claims-${Ye(t).kind}`} role="img" aria-label=${t} title=${t}>${Ye(t).sign}</span>`,fh=({verdict:t})=>h`<span class=${`claims-badge claims-${Ye(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${Ye(t).sign}</span>${t}
  </span>`;function $h(t){let{response:e,error:n,waiting:s}=Q(t.ask,"catalogue",{});return e?h`<${gh} ...${t} catalogue=${e} />`:h`<${B} error=${n} waiting=${s} lines=${12}>reading the catalogue …</${B}>`}function gh(t){let{ask:e,state:n,place:s,catalogue:{rows:o,documents:r}}=t,a=o.find(({id:l})=>l===n.claim),i=a?h`<${Mi} key=${a.id} ask=${e} row=${a} document=${r[a.document]} state=${n} place=${s} />`:h`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return h`<div class="claims">${s==="file"?i:h`<${xh} ...${t}>${i}<//>`}</div>`}function xh({state:t,change:e,catalogue:n,children:s}){let{documents:o}=n,r=X(()=>vh(n),[n]),a=_h(r,t.search),i=(f,$)=>!t[$]||f[$]===t[$],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),p=l.filter(f=>i(f,"verdict")),u=([f,$])=>[f,`${$} (${c.filter(g=>g.document===f).length})`],d=wh(t.claim);return h`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!p.length||(f.key==="Enter"&&e({claim:p[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),d.current.querySelector("button").focus()))}}>
        <${St} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${nt} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(o).map(u)]} />
      </div>
      <${yh} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${bh} rows=${p} documents=${o} current=${t.claim} list=${d}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function yh({rows:t,verdict:e,onChange:n}){let s=Object.entries(bo).filter(([o])=>o!=="unsettled");return h`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([o,{sign:r,kind:a}])=>h`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===o)}
      onClick=${()=>n(e===o?"":o)}>
      <span aria-hidden="true">${r}</span>${o}<span class="claims-count">${t.filter(i=>i.verdict===o).length}</span></button>`)}
  </div>`}function bh({rows:t,documents:e,current:n,list:s,onOpen:o,onClear:r}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return h`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],p=c.indexOf(l.target),u={ArrowDown:p+1,ArrowUp:p-1,Home:0,End:c.length-1}[l.key];p<0||u===void 0||(l.preventDefault(),c[u]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&h`<p class="claims-none">No claims found. <button onClick=${r}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let p=t.filter(u=>u.document===l);return p.length>0&&h`<section key=${l}><h3>${c}</h3><ul>${p.map(u=>h`<li key=${u.id}><button data-id=${u.id} aria-current=${u.id===n?"true":null} tabindex=${u.id===a?0:-1}
          onClick=${()=>o(u.id)}>
          <${Ai} verdict=${u.verdict} /><span class="claims-title">${u.title}</span><code>${u.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function wh(t){let e=R(null);return W(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,o]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(o.top<s.top||o.bottom>s.bottom)&&(e.current.scrollTop+=o.top-s.top-s.height/3)},[t]),e}var Ti={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:$h},wo=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),Ei=t=>wo(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function vh({rows:t,documents:e}){return t.map(n=>{let s=wo(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:Ei(s)}})}function _h(t,e){let n=wo(e).split(/\s+/).filter(Boolean),s=t.filter(({text:o})=>n.every(r=>o.includes(r)));return s.length?s.map(({row:o})=>o):t.filter(({words:o})=>Ei(e).every(r=>o.some(a=>kh(r,a)))).map(({row:o})=>o)}function kh(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>Mh(t,e.slice(0,t.length+n))<=1)}function Mh(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,o]=[t.slice(n),e.slice(n)];if(!s&&!o)return 0;let r=s.length>1&&s[0]===o[1]&&s[1]===o[0]&&s.slice(2)===o.slice(2);return s.slice(1)===o.slice(1)||s.slice(1)===o||s===o.slice(1)||r?1:2}function Pi({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function vo(t,e,n){let s=(o,r)=>n===0?o:o+n*(r-o);return{centre:e.centre.map((o,r)=>s(t.centre[r],o)),precision:e.precision.map((o,r)=>s(t.precision[r],o))}}function Qe(t,e,n){let s=Math.floor(e),o=(r,a)=>{let i=(r*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:p}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(p*i,p*(i+1))]}};return Array.from({length:t.heads},(r,a)=>e===s?o(s,a):vo(o(s,a),o(s+1,a),e-s))}var Vn=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function Li(t){let[e,n,s]=Vn(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function ke(t,e){let[n,s,o]=Vn(t),r=Math.hypot((o-n)/2,s),a=(n+o)/2,i=Math.sqrt(-Math.log1p(-e)),l=r<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-r,1e-12)),short:i/Math.sqrt(a+r),angle:l?0:Math.atan2(2*s,o-n)/2+Math.PI/2}}function Xn(t){let[e,n,s]=Vn(t);return(4*(e*s-n*n))**-.25}var _o=60,ko=.002;function zi(t,e){let[n,s,o]=Vn(t),r=Math.hypot((o-n)/2,s),a=(n+o)/2,i=Math.min(1,ko/Math.max(a-r,1e-9)),l=Math.max(i,Math.min(Math.max(1,_o/(a+r)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var Mo=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function Ri(t,e){let n=1.5,s=t.side>>1;for(let o=0;o<t.steps.length;o++){let r=2*(o*t.layers+e)*t.heads;for(let a of t.centres.subarray(r,r+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var xt=t=>`heads-hue-${t%6+1}`,Gn=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],Oi=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,Jn=([t,e])=>`${Oi(t,"down","up")}, ${Oi(e,"right","left")}`;function ji({found:t,maps:e,head:n,precision:s,centre:o,onQuery:r}){let[a,i]=j(null),{h:l,w:c,query:p}=t,u=e.subarray(n*l*c,(n+1)*l*c),d=u.reduce((f,$)=>Math.max(f,$),0),m=t.heads[n];return h`<div class="heads-beside">
    <${Pt} data=${u} rows=${l} columns=${c} limit=${d} side=${160} chosen=${p} label=${`Weights of head ${n+1} from the query`}
      says=${(f,$)=>`row ${f}, column ${$}: ${z(u[f*c+$])}`} onChoose=${(f,$)=>r([f,$])}
      onPoint=${(f,$)=>i(f===null?null:[f,$])} />
    <div>
      <${_e} limit=${d} />
      <p class="heads-facts">${Jn(o)}<br />width ${z(Xn(s),2)}</p>
      <p class="hint">${a?h`row ${a[0]}, column ${a[1]}: <b data-weight><${Rt} value=${u[a[0]*c+a[1]]} /></b>`:`Away from borders its largest weight is ${lt(1-m.softness)}.`}</p>
    </div>
  </div>`}var Sh=t=>t.map(e=>String(e).replace("-","−")).join(", "),Di=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function qi({found:t,chosen:e,onChoose:n}){let[s,o]=t.kernel_size,r=Math.min(54,174/o),a=([p,u])=>[(u+(o-1)/2)*r,(p+(s-1)/2)*r],i=r>=46,l=t.heads.map((p,u)=>({...p,head:u})).filter(p=>p.tap),c=[...t.free,...l.map(p=>p.tap)].filter(p=>t.heads.some(u=>Di(u.peak,p)));return h`<div class="heads-beside">
    <svg class="heads-kernel" width=${o*r+2} height=${s*r+2} viewBox=${`-1 -1 ${o*r+2} ${s*r+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${o}`}>
      ${t.free.map(p=>h`<rect class="free" x=${a(p)[0]} y=${a(p)[1]} width=${r-3} height=${r-3} rx="5" />`)}
      ${l.map(({head:p,tap:u,distance:d,peak:m,softness:f})=>{let[$,g]=a(u),x=Di(m,u),w=x?1-f:0,b=w*(r-3),y=x?`${lt(w)} of its weight there`:"its weight is largest elsewhere",S=x?lt(w):`${z(d,2)} off`,A=$+(r-3)/2;return h`<g class=${`heads-tap ${xt(p)} ${p===e?"chosen":""} ${x?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${p===e} aria-label=${`Tap ${Sh(u)}: head ${p+1}, ${z(d,2)} away, ${y}`}
          onClick=${()=>n(p)} onKeyDown=${k=>k.key==="Enter"&&n(p)}>
          <rect class="cell" x=${$} y=${g} width=${r-3} height=${r-3} rx="5" />
          <rect class="share" x=${$} y=${g+r-3-b} width=${r-3} height=${b} rx="5" />
          <text class="name" x=${A} y=${g+(i?r*.4:(r-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${p+1}</text>
          ${i&&h`<text class="away" x=${A} y=${g+r*.72} text-anchor="middle">${S}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*o} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var Nh=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function Fi({found:{convolution:t,reason:e,h:n,w:s},isEven:o}){if(!t)return h`<p>There is no certificate: ${e}</p>`;let r=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,u])=>u!==null),i=u=>Math.min(1,u/r),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${z(r)}.`,p=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return h`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}><${Rt} value=${t.bound} /></b> of a convolution with ${Nh(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${p}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([u,d,m])=>h`<tr><th scope="row">${u}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(d)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}><${Rt} value=${d} /></td></tr>`)}
    </tbody></table>
    <p class="hint">${o?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?h` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":h`Below 1 % at these centres: a precision of <b><${Rt} value=${t.sharpness} /></b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var Ch={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function Ii({found:t,onChoose:e}){let n=t.heads.flatMap((o,r)=>o.kinds.map(a=>[r,a])),s=o=>h`<button class="heads-name quiet" onClick=${()=>e(o)}><span class=${`heads-dot ${xt(o)}`} />Head ${o+1}</button>`;return t.unexamined?h`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?h`<p class="hint">None: every head looks at a place of its own.</p>`:h`<ul class="heads-odd">
    ${n.map(([o,r])=>h`<li data-kind=${r}>${s(o)} ${Ch[r]}</li>`)}
    ${t.alike.map(o=>h`<li data-kind="alike">Heads ${o.map(r=>r+1).join(", ")} have the same map</li>`)}
  </ul>`}var Wi={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function Hi({heads:t,side:e,margin:n,query:s,chosen:o,image:r,trail:a,at:i,onPlace:l,onNudge:c,onWiden:p,onChoose:u,onQuery:d}){let[m,f]=Z(),$=R(null),g=R(null),x=Y(),w=Math.min(f,620)/(e+2*n),b=w*(e+2*n),y=M=>(M+n+.5)*w,S=M=>(M+n+.5)*w,A=M=>{let _=$.current.getBoundingClientRect();return[(M.clientY-_.top)/w-n-.5,(M.clientX-_.left)/w-n-.5]},k=M=>{let[_,C]=A(M).map(Math.round);Math.min(_,C)>=0&&Math.max(_,C)<e&&d([_,C])},T=(M,_)=>{M.preventDefault(),M.stopPropagation(),M.currentTarget.focus?.({preventScroll:!0}),M.currentTarget.setPointerCapture(M.pointerId),g.current=_},N={onPointerMove:M=>g.current?.(M),onPointerUp:()=>g.current=null,onPointerCancel:()=>g.current=null},v=M=>_=>{u(M);let[C,q]=A(_),[K,H]=[t[M].centre[0]+s[0]-C,t[M].centre[1]+s[1]-q];T(_,U=>{let[rt,$t]=A(U);l(M,[rt+K-s[0],$t+H-s[1]])})},O=M=>{let _=t[o].precision,C=K=>Math.max(Math.hypot(...A(K).map((H,U)=>H-t[o].centre[U]-s[U])),.1),q=C(M);T(M,K=>p(o,(q/C(K))**2,_))},P=M=>_=>{let C=Wi[_.key],q={"+":1,"=":1,"-":-1,"−":-1}[_.key];if(C)c(M,C.map(K=>K*(_.shiftKey?1:.1)));else if(q)p(M,1.1**(-2*q));else return;_.preventDefault()},L=M=>{let _=Wi[M.key];_&&(M.preventDefault(),d(s.map((C,q)=>Math.max(0,Math.min(e-1,C+_[q])))))},F=([M,_])=>[y(_+s[1]),S(M+s[0])].map(C=>Math.max(13,Math.min(b-13,C))),[E,D]=t[o]?F(t[o].centre):[];return h`<div class="heads-picture" ref=${m}>
    ${f>0&&h`<svg ref=${$} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${x} ...${N}>
      <g class="heads-pixels" onPointerDown=${M=>(k(M),g.current=k)}>
        <rect class="heads-board" x=${y(-.5)} y=${S(-.5)} width=${e*w} height=${e*w} />
        ${r&&Array.from(r,(M,_)=>M>0&&h`<rect class="heads-shade" width=${w} height=${w}
          x=${y(_%e-.5)} y=${S(Math.floor(_/e)-.5)} fill-opacity=${.3*M/255} />`)}
        ${Array.from({length:e+1},(M,_)=>h`
          <line x1=${y(_-.5)} x2=${y(_-.5)} y1=${S(-.5)} y2=${S(e-.5)} />
          <line y1=${S(_-.5)} y2=${S(_-.5)} x1=${y(-.5)} x2=${y(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((M,_)=>h`<${Ah} head=${_} ...${M} query=${s} x=${y} y=${S} scale=${w} chosen=${_===o} />`)}
      </g>
      ${a&&h`<g aria-hidden="true" class=${`heads-trail ${xt(o)}`}>
        <polyline class="rest" points=${a.map(([M,_])=>`${y(_+s[1])},${S(M+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([M,_])=>`${y(_+s[1])},${S(M+s[0])}`).join(" ")} />
        <circle cx=${y(a[0][1]+s[1])} cy=${S(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${L} onPointerDown=${M=>T(M,k)}>
        <rect x=${y(s[1]-.5)} y=${S(s[0]-.5)} width=${w} height=${w} rx="3" />
        <circle cx=${y(s[1])} cy=${S(s[0])} r="3" />
      </g>
      ${t.map((M,_)=>h`<g class=${`heads-knob ${xt(_)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${_}
        aria-label=${`Head ${_+1}: ${Jn(M.centre)}, width ${z(Xn(M.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>u(_)} onKeyDown=${P(_)} onPointerDown=${v(_)}>
        <${Bi} head=${_} at=${F(M.centre)} />
      </g>`)}
      ${t[o]&&h`<g class=${`heads-knob chosen ${xt(o)}`} aria-hidden="true"><${Bi} head=${o} at=${[E,D]} /></g>
        <${Th} precision=${t[o].precision} cx=${E} cy=${D} scale=${w} size=${b} onGrab=${O} />`}
    </svg>`}
    <p id=${x} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function Ah({head:t,centre:e,precision:n,query:s,x:o,y:r,scale:a,chosen:i}){let[l,c]=[o(e[1]+s[1]),r(e[0]+s[0])],p=(u,d)=>{let{long:m,short:f,angle:$}=ke(n,u);return h`<ellipse class=${d} rx=${m*a} ry=${f*a} stroke-dasharray=${d==="half"?Gn(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${$*180/Math.PI})`} />`};return h`<g class=${`${xt(t)} ${i?"chosen":""}`}>${p(.9,"most")}${p(.5,"half")}</g>`}var Bi=({head:t,at:[e,n]})=>h`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function Th({precision:t,cx:e,cy:n,scale:s,size:o,onGrab:r}){let{long:a,angle:i}=ke(t,.5),l=Math.max(a*s,19),c=($,g)=>Math.min($,g)>6&&Math.max($,g)<o-6,p=[i,i+Math.PI].map($=>{let g=l;for(;g>19&&!c(e+g*Math.cos($),n+g*Math.sin($));)g-=4;return[Math.max(g,19),$]}),[u,d]=p[0][0]>=p[1][0]?p[0]:p[1],[m,f]=[e+u*Math.cos(d),n+u*Math.sin(d)];return h`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${r}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var Ze=74;function Ui({record:t,at:e,layer:n,onChange:s}){let o=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),r=Ze/(2*o+2),a=R(null),i=l=>{let c=Kt(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return h`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>h`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-Ze/2} ${-Ze/2} ${Ze} ${Ze}`} aria-hidden="true">
        <rect class="heads-here" x=${-r/2} y=${-r/2} width=${r} height=${r} />
        ${Qe(t,e,c).map(({centre:p,precision:u},d)=>{let{long:m,short:f,angle:$}=ke(u,.5);return h`<ellipse class=${xt(d)} stroke-dasharray=${Gn(d)&&"3 2"} rx=${Math.max(m*r,1.5)} ry=${Math.max(f*r,1.5)}
            transform=${`translate(${p[1]*r},${p[0]*r}) rotate(${$*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function Ki(t,e,n){let[s,o]=j(null),r=R(null);r.current={index:e,onStep:n};let a=s!==null,i=t-1;return W(()=>{if(!a)return;let p=r.current.index>=i?0:r.current.index,u=Math.min(400,Math.max(40,7e3/Math.max(i,1))),d=null,m=r.current.index,f=g=>{d??=g;let x=Math.min(i,p+(g-d)/u);Math.floor(x)!==m&&r.current.onStep(m=Math.floor(x)),o(x>=i?null:x),x<i&&($=requestAnimationFrame(f))},$=requestAnimationFrame(f);return()=>cancelAnimationFrame($)},[a,i]),{at:s,isPlaying:a,toggle:()=>{Ut()?n(e>=i?0:e+1):o(a?null:e>=i?0:e)},stop:()=>o(null)}}function Vi({record:t,index:e,playing:n,onStep:s}){let[o,r]=Z(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[p,u]=[8,r-8],d=y=>p+(u-p)*y/Math.max(a,1),m=(l??[]).filter(y=>y!==null),[f,$]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],g=y=>c-6-(c-12)*(y-f)/($-f||1),x=He().defined(y=>y!==null).x((y,S)=>d(S)).y(g),w=Ut()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([y,S])=>[y.replace("_"," "),S[e]]).filter(([y,S])=>S!==null&&y!=="loss").map(([y,S],A)=>h`${A?" · ":""}${y} <b data-curve=${y}>${y==="accuracy"?lt(S,3):z(S)}</b>`);return h`<div class="heads-course" ref=${o}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${w}</button><span class="hint">${Ut()?"":"or the space bar"}</span></div>
    <${ct} label="Step" value=${e} min=${0} max=${a} step=${1} says=${y=>t.steps[y].toLocaleString("en")} onChange=${s} />
    ${l&&r>0&&h`<svg width=${r} height=${c} role="img" aria-label=${`${i} over training: ${z(m[0])} to ${z(m.at(-1))}`}>
      <line class="base" x1=${p} x2=${u} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${x(l)} />
      <line class="mark" x1=${d(n.at??e)} x2=${d(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&h`<circle class="dot curve-1" cx=${d(e)} cy=${g(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var Eh={token:"A piece of text, often a word: what a model reads one at a time. Pixels and patches can be tokens too.",head:"One attention of its own, with its own queries, keys and values. A layer has several, side by side.",layer:"A step of the model: attention, then a small network on each token. Layers are stacked.",weight:"How much a query takes of a key's value: from 0 to 1, and all weights of a query sum to 1.",query:"The vector with which a token asks: it is compared with every key.",key:"The vector that a token offers to be found by.",value:"The vector that a token gives to those who look at it.",logit:"The score of a query and a key, β·q·k, before the softmax makes weights of all of them.",mask:"Who may see whom: a hidden pair has weight 0, whatever its score.",map:"All weights of a head: a row for each query, a column for each key.",softmax:"Scores to weights: each is e to the power of the score, divided by the sum of all.",kernel:"The weights of a convolution: for each offset, what is taken of the pixel there.",exact:"Equal to the definition of the mechanism, up to rounding: nothing is left out or approximated.",receptive:"The receptive field: all tokens of the input that can change an output, through all layers."};function yt({of:t,children:e}){let n=Or(),s=R(null),[o,r]=j(null),a=()=>{let{left:l,bottom:c}=s.current.getBoundingClientRect();r({left:`${Math.max(8,Math.min(l,innerWidth-288))}px`,top:`${c+6}px`})},i=()=>r(null);return h`<button ref=${s} type="button" class="word" aria-describedby=${o?n:null} onPointerEnter=${a} onPointerLeave=${i}
    onFocus=${a} onBlur=${i} onClick=${a} onKeyDown=${l=>l.key==="Escape"&&i()}>${e}</button>${o&&h`<span id=${n} role="tooltip" class="definition" style=${o}>${Eh[t]}</span>`}`}var Oh=4,Xi=["step","layer","head"],So=t=>Number(t.toFixed(2)),Ph={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},Gi=t=>typeof t=="string"?t:null;function Lh({ask:t,state:e,change:n,place:s}){let o={...e,run:Gi(e.run),training:Gi(e.training)},r=Q(t,"recorded",{}),a=r.response?.trainings??[],i=f=>f.run===o.run&&(o.training===null||f.training===o.training),l=o.run===null?a[0]:a.find(i),c=r.response&&a.some(f=>f.run===o.run)&&o.training,p=l?{run:l.run,training:l.training}:c?{run:o.run,training:o.training}:null,u=Q(t,"heads",p),d=X(()=>u.response&&Pi(u.response),[u.response]);if(!d){let f=r.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",$=r.response&&!p&&!f&&`The run ${o.run} has recorded no gaussian heads; choose another.`,g=p??{run:o.run,training:""};return h`<${B} error=${r.error??u.error??(f||$||null)} waiting=${r.waiting||u.waiting} lines=${12}>reading the recording …<//>
      ${(u.error||$)&&a.length>0&&h`<${Ji} trainings=${[g,...a]} request=${g} change=${n} />`}`}let m={ask:t,change:n,place:s,record:d,trainings:a,request:p,hasValues:l?.has_values??!1,error:u.error};return h`<${Rh} ...${m} state=${zh(o,d)} />`}function zh(t,{side:e,layers:n,heads:s,entries:o}){let r=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+o&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&Li(i.slice(2));return{...t,layer:be(t.layer,0,n-1,0),head:be(t.head,0,s-1,0),query:Wn(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(r)),step:Number.isFinite(t.step)?t.step:null}}function Rh({ask:t,state:e,change:n,place:s,record:o,trainings:r,request:a,hasValues:i,error:l}){let c=R(null),p=o.steps.length-1,{layer:u,head:d}=e,m=e.step===null?p:Math.max(0,o.steps.findLastIndex(C=>C<=e.step)),f=e.query??[o.side>>1,o.side>>1],$=C=>n({step:C===p?null:o.steps[C]}),g=Ki(o.steps.length,m,$),x=(C,q)=>Qe(o,q,C).map((K,H)=>Dh(K,e.moved[`${C}.${H}`])),w=x(u,m),[b,y]=jh(g.at===null?w:x(u,g.at)),S=e.values==="trained"&&i?{...a,layer:u}:null,A=C=>({centres:x(C,m).map(q=>q.centre),precisions:x(C,m).map(q=>q.precision),h:o.side,w:o.side,query:f,values:S&&{...S,layer:C}}),k=bt(t,"kernel",A(u)),T=k.error?null:k.response,N=T?.header.heads.length===o.heads?T.header:null,v=N&&new Float32Array(T.data,T.offset,N.heads.length*N.h*N.w),O=qh({state:e,change:n,record:o,layer:u,resting:w,found:N,glide:y}),P=w.every((C,q)=>e.moved[`${u}.${q}`])?w[d].precision[0]:null,L=Object.keys(e.moved).some(C=>C.startsWith(`${u}.`)),F=L&&e.moved[`${u}.${d}`]?null:o.steps.map((C,q)=>Qe(o,q,u)[d].centre),E=C=>{C.key!==" "||C.defaultPrevented||C.target.closest("button, select, summary, [role=button], input:not([type=range])")||(C.preventDefault(),g.toggle())},D=()=>[["recorded",{}],["heads",a],...Array.from({length:o.layers},(C,q)=>["kernel",A(q)])],M=()=>Ih(o,w,N,v),_=C=>n({query:C});return h`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${E}>
    <div class="heads-left" data-unpictured>
      <${I} title="Training">
        <div class="stack">
          <${kt} place=${s} what="choose another run"><${Ji} trainings=${r} request=${a} change=${n} /><//>
          <${Ui} record=${o} at=${g.at??m} layer=${u} onChange=${C=>n({layer:C})} />
          <${Vi} record=${o} index=${m} playing=${g} onStep=${C=>(g.stop(),$(C))} />
        </div>
      <//>
      <div class="heads-below"><${I} title="Try it">
        <div class="stack heads-try">
          <${wt} onClick=${O.convolve} off=${!N}>Make it a convolution<//>
          ${P!==null&&h`<${ct} label="Sharpness" value=${Math.log10(P)} min=${-1} max=${1.5} step=${.02}
            says=${C=>z(10**C,2)} onChange=${C=>O.sharpen(Number((10**C).toPrecision(3)))} />`}
          <${wt} onClick=${O.back} off=${!L}>Back to the training<//>
          ${i&&h`<${pt} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${C=>n({values:C})} />`}
          ${o.image&&h`<${Mt} label="Show the image" value=${e.image} onChange=${C=>n({image:C})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${I} title=${`Layer ${u+1}, step ${o.steps[m].toLocaleString("en")}${L?", heads moved":""}`}
        actions=${h`<${ot} name="heads" of=${c} caption=${`Heads of ${a.run}, ${a.training}: layer ${u+1} at step ${o.steps[m].toLocaleString("en")}${L?", with heads moved by hand":""}.`} numbers=${M} saves=${D} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each <${yt} of="head">head<//> looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${Hi} heads=${b} side=${o.side} margin=${Ri(o,u)} query=${f} chosen=${d}
          image=${e.image?o.image:null} trail=${F} at=${g.at??m}
          onPlace=${O.place} onNudge=${O.nudge} onWiden=${O.widen} onChoose=${O.choose} onQuery=${_} />
        <${Fh} head=${d} one=${w[d]} edits=${O} isRound=${o.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${B} error=${l} />
      <//>
      ${N&&h`<${I} title="Degenerate heads"><${Ii} found=${N} onChoose=${O.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${N?h`
          <${I} title=${h`<span class=${`heads-dot ${xt(d)}`} />Head ${d+1} from the query`}>
            <${ji} found=${N} maps=${v} head=${d} ...${w[d]} onQuery=${_} />
          <//>
          <${I} title="The kernel that the heads make">
            <${qi} found=${N} chosen=${d} onChoose=${O.choose} />
          <//>
          <${I} title="Distance to a true convolution"><${Fi} found=${N} isEven=${S===null} /><//>`:h`<${I} title="The kernel that the heads make">${s==="file"?h`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:h`<${B} error=${k.error} waiting=${k.waiting} lines=${6} />`}<//>`}
    </div>
  </div></div>`}var Dh=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function jh(t){let[e,n]=j(1),s=R(t),o=e<1&&s.current.length===t.length?t.map((i,l)=>vo(s.current[l],i,e*e*(3-2*e))):t,r=e<1;return W(()=>{if(!r)return;let i=null,l=p=>{i??=p;let u=Math.min(1,(p-i)/380+.001);n(u),u<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[r]),[o,()=>{Ut()||(s.current=o,n(0))}]}function qh({state:t,change:e,record:n,layer:s,resting:o,found:r,glide:a}){let i=R(null);i.current={moved:t.moved,resting:o};let l=(d,m)=>{let f={...i.current.moved,[`${s}.${d}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map(($,g)=>g===d?m:$)},e({moved:f,head:d})},c=1.5*n.side,p=(d,m)=>l(d,{...i.current.resting[d],centre:m.map(f=>So(Math.max(-c,Math.min(c,f))))}),u=d=>({...t.moved,...Object.fromEntries(o.map((m,f)=>[`${s}.${f}`,d(m,f)]))});return{choose:d=>e({head:d}),place:p,nudge:(d,m)=>p(d,i.current.resting[d].centre.map((f,$)=>f+m[$])),widen:(d,m,f)=>l(d,{...i.current.resting[d],precision:zi(f??i.current.resting[d].precision,m)}),sharpen:d=>e({moved:u(m=>[...m.centre,...Mo(n.entries,d)])}),convolve:()=>{a(),e({moved:u((d,m)=>[...r.heads[m].tap??d.centre,...Mo(n.entries,Oh)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([d])=>!d.startsWith(`${s}.`)))})}}}function Ji({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),r=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return h`<${nt} label="Run" hidden value=${s(e)} options=${r} onChange=${a} />`}function Fh({head:t,one:e,edits:n,isRound:s}){let o=r=>a=>n.place(t,e.centre.map((i,l)=>l===r?a:i));return h`<div class="heads-numbers">
    <span><span class=${`heads-dot ${xt(t)}`} />Head ${t+1}</span>
    <label>row <${we} label=${`Row of head ${t+1}'s centre`} value=${So(e.centre[0])} onChange=${o(0)} /></label>
    <label>column <${we} label=${`Column of head ${t+1}'s centre`} value=${So(e.centre[1])} onChange=${o(1)} /></label>
    ${s&&h`<label>precision <${we} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05} least=${ko} most=${_o}
      onChange=${r=>n.widen(t,r/e.precision[0],e.precision)} /></label>`}
  </div>`}function Ih(t,e,n,s){let o=[t.steps.length,t.layers,t.heads],r={steps:{shape:[t.steps.length],data:t.steps,axes:["step"]},centres:{shape:[...o,2],data:t.centres,axes:[...Xi,"row and column"]},precisions:{shape:[...o,t.entries],data:t.precisions,axes:[...Xi,"entry"]},centre:{shape:[t.heads,2],data:e.flatMap(d=>d.centre),axes:["head","row and column"]},precision:{shape:[t.heads,t.entries],axes:["head","entry"],data:e.flatMap(d=>d.precision)}};if(!n)return r;let{heads:a,h:i,w:l,convolution:c,kernel_size:p}=n,u=d=>[d,{shape:[],data:[c[d]]}];return{...r,maps:{shape:[a.length,i,l],data:s,axes:["head","row","column"]},kernel_size:{shape:[p.length],data:p},taps:{shape:[a.length,2],axes:["head","row and column"],data:a.flatMap(d=>d.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(d=>d.distance)},peaks:{shape:[a.length,2],data:a.flatMap(d=>d.peak??[null,null])},softness:{shape:[a.length],data:a.map(d=>d.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(u))}}var Yi={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:Ph,View:Lh};var Wh=24*2**20,Bh="these maps are no longer in memory";function Hh({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];if(t.type==="float32")return new Float32Array(e,n,s);if(t.type==="float16")return new Float32Array(new Float16Array(e,n,s));let[o,r]=[new Uint8Array(e,n,s),new Float32Array(s)];for(let a=0;a<s;a++)r[a]=(o[a]/255)**2;return r}var No=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,o]of this.responses){if(this.size<=Wh||this.responses.size===1)break;this.responses.delete(s),this.size-=o.data.byteLength}}};function Co(t,e,n,s){let o=R(null);o.current??=new No;let r=R({response:null,of:null}),a=R({of:null,error:null}),[,i]=j(0),l=()=>i(d=>d+1),c=n&&JSON.stringify(n),p=c&&o.current.get(c);p?r.current={response:p,of:n.key}:n&&r.current.of!==n.key&&(r.current={response:null,of:null}),W(()=>{if(!c||o.current.get(c))return;let d=new AbortController,m=()=>t(e,JSON.parse(c),{signal:d.signal});return m().catch(async f=>{if(!f.message?.startsWith(Bh))throw f;return await t("maps",s,{signal:d.signal}),m()}).then(f=>(o.current.put(c,f),l()),f=>Nt(f)||(a.current={of:c,error:f.message},l())),()=>d.abort()},[t,e,c]);let u=a.current.of===c?a.current.error:null;return{response:c&&!u?r.current.response:null,error:u,waiting:!!c&&!p&&!u}}function le(t,e,n){let{response:s,error:o,waiting:r}=Co(t,"tile",e,n),a=X(()=>s&&Hh(s),[s]);return{tile:s&&{...s.header,weights:a},error:o,waiting:r}}function Qi(t,e,n){let{response:s,error:o,waiting:r}=Co(t,"overview",e,n);return{thumbs:X(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,p],u)=>Array.from({length:l},(d,m)=>{let f=new Uint8Array(s.data,i,c*p);return i+=c*p,{bytes:f,rows:c,columns:p,limit:s.header.limits[u][m]}}))},[s]),error:o,waiting:r}}function Zi(t,e,n){let{response:s}=Co(t,"picture",e,n);return X(()=>{if(!s)return null;let{height:o,width:r}=s.header,a=new Uint8Array(s.data,s.offset,3*o*r),i=new ImageData(r,o);for(let l=0;l<o*r;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Yn(t,e=8){return Array.from(t.keys()).sort((s,o)=>t[o]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Qn=18,Vt=48;function tl({weights:t,rows:e,columns:n,rowNames:s,columnNames:o,first:r=0,start:a=0,width:i,pinned:l,limit:c,label:p,onPoint:u,onPin:d}){let m=Y(),[f,$]=j(null),g=f??(l!==null&&l>=r&&l<r+e?l-r:null),x=Math.max(220,Math.min(i,640)),[w,b]=[x*.34,x*.66],y=Qn*Math.max(e,n)+8,S=Math.max(.02,c*.08),A=[];for(let E=0;E<e;E++)if(!(g!==null&&E!==g))for(let D=0;D<n;D++){let M=t[E*n+D];Math.abs(M)>=(g===null?S:.002)&&A.push([E,D,M])}let k=E=>4+Qn*(E+.5),T=E=>($(E),u(E===null?null:E)),N=E=>{let D={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[E.key];D?(E.preventDefault(),T(g===null?0:Math.max(0,Math.min(e-1,g+D)))):(E.key==="Enter"||E.key===" ")&&g!==null?(E.preventDefault(),d(g)):E.key==="Escape"&&T(null)},v=(E,D)=>(E?.[D]??String(D+1)).slice(0,22),O=g===null?null:Math.max(...Array.from({length:n},(E,D)=>t[g*n+D])),P=A.slice().sort((E,D)=>D[2]-E[2]).slice(0,3).map(([,E,D])=>`${v(o,E)} ${z(D)}`),L=g===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${v(s,g)} looks at ${P.join(", ")}`,F=E=>Math.min(1,.08+Math.sqrt(Math.abs(E)/Math.max(c,Math.abs(E)))*(g===null?.7:.9));return h`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${p} aria-describedby=${m}
    onKeyDown=${N} onBlur=${()=>T(null)} onPointerLeave=${()=>T(null)}>
    <svg width=${x} height=${y} aria-hidden="true">
      <g>${A.map(([E,D,M])=>h`<path d=${`M${w} ${k(E)}C${x/2} ${k(E)} ${x/2} ${k(D)} ${b} ${k(D)}`}
        class=${M<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(M))} stroke-opacity=${F(M)} />`)}</g>
      ${Array.from({length:e},(E,D)=>h`<g class=${`token${D===g?" now":g===null?"":" off"}`}
        onPointerEnter=${()=>T(D)} onClick=${()=>d(D)}>
        <rect x="0" y=${k(D)-Qn/2} width=${w} height=${Qn} /><text x=${w-8} y=${k(D)} dy="0.35em"
          text-anchor="end">${v(s,D)}</text></g>`)}
      ${Array.from({length:n},(E,D)=>{let M=g===null?null:t[g*n+D];return h`<g class=${`token key${M!==null&&Math.abs(M)<.002?" off":""}${M!==null&&M===O?" now":""}`}>
          <text x=${b+8} y=${k(D)} dy="0.35em">${v(o,D)}</text>
          ${M!==null&&Math.abs(M)>=.002&&h`<text class="weight" x=${x-4} y=${k(D)} dy="0.35em"
            text-anchor="end">${z(M)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${L}</span>
  </div>`}function el(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function Uh({most:t,signed:e}){let n=R(null);return at(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),o=e?-t:0;for(let r=0;r<128;r++)s.data.set(el(o+(t-o)*r/127,t,e),4*r);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),h`<div class="legend maps-veil"><span>${e?z(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${z(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function nl({image:t,weights:e,count:n,first:s,grid:o,query:r,limit:a,signed:i,side:l=400,label:c,onQuery:p,onPoint:u}){let d=ht(),[m,f]=[R(null),R(null)],$=Y(),[g,x]=j(null),[w,b]=o,y=Math.min(l/w,l/b),[S,A]=[y*b,y*w],k=e.subarray(r*n,(r+1)*n),T=a??Math.max(...k.subarray(s),1e-9);at(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),at(()=>{[f.current.width,f.current.height]=[b,w];let E=new ImageData(b,w);for(let D=0;D<w*b;D++)E.data.set(el(k[s+D],T,i),4*D);f.current.getContext("2d").putImageData(E,0,0)},[e,r,o,T,i,d]);let N=E=>{let D=f.current.getBoundingClientRect(),[M,_]=[Math.floor((E.clientY-D.top)/D.height*w),Math.floor((E.clientX-D.left)/D.width*b)];return M>=0&&_>=0&&M<w&&_<b?s+M*b+_:null},v=E=>(x(E),u(E===null?null:[r,E])),O=E=>{let D={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[E.key];if(!D)return;E.preventDefault();let _=(r<s?s:r)+D;_>=s&&_<n&&(x(null),p(_))},P=E=>E<s?"the class token":`row ${Math.floor((E-s)/b)+1}, column ${(E-s)%b+1}`,L=(E,D)=>E>=s&&h`<rect class=${D} x=${(E-s)%b*y}
    y=${Math.floor((E-s)/b)*y} width=${y} height=${y} />`,F=k.indexOf(Math.max(...k));return h`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${$}
    style=${{width:`${S}px`,height:`${A}px`}} onKeyDown=${O} onPointerMove=${E=>v(N(E))} onPointerLeave=${()=>v(null)}
    onClick=${E=>N(E)!==null&&p(N(E))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${S} height=${A} aria-hidden="true">${g!==null&&L(g,"pointed")}${L(r,"query")}</svg>
    <span id=${$} class="unseen" aria-live="polite">${P(r)} looks most at ${P(F)}, ${z(k[F])}; the arrow keys choose the patch that looks</span>
  </div><${Uh} most=${T} signed=${i} />`}var[Ao,To,Eo,Kh]=[26,22,4,13],Vh=50;function Oo({thumbs:t,minus:e,colour:n,layer:s,head:o,onChoose:r,label:a,width:i,tags:l,order:c,says:p}){let u=ht(),d=R(null),m=Y(),[f,$]=j(null),[g,x]=c?[0,2]:[Ao,To],w=Math.max(...t.map(M=>M.length)),b=c?Math.min(c.length,Math.max(1,Math.floor(i/80))):w,y=Math.max(18,Math.min(84,Math.floor((i-g)/b)-Eo)),S=y>=Vh,[A,k]=[y+Eo,y+Eo+(S?Kh:0)],T=c?c.map(([M,_,C],q)=>({l:M,h:_,share:C,x:q%b*A,y:Math.floor(q/b)*k})):t.flatMap((M,_)=>M.map((C,q)=>({l:_,h:q,x:q*A,y:_*k}))),[N,v]=[b*A,Math.max(...T.map(({y:M})=>M))+k];at(()=>{let M=Math.min(2,globalThis.devicePixelRatio||1),_=d.current;_.width=Math.round(N*M),_.height=Math.round(v*M);let C=_.getContext("2d");C.scale(M,M);let[q,K]=[0,1].map(dt=>Math.max(...T.map(({l:gt,h:Jt})=>dt?t[gt][Jt].columns:t[gt][Jt].rows))),H=document.createElement("canvas");[H.width,H.height]=[b*K,Math.ceil(T.length/b)*q];let U=new ImageData(H.width,H.height),rt=new Uint32Array(U.data.buffer),$t=T.map((dt,gt)=>[gt%b*K,Math.floor(gt/b)*q]);T.forEach(({l:dt,h:gt},Jt)=>{let{rows:hs,columns:ds}=t[dt][gt],[ms,ln]=e?.[dt]?.[gt]?Gh(t[dt][gt],e[dt][gt]):Xh(t[dt][gt],n);for(let fs=0,Lc=0;fs<hs;fs++){let zc=($t[Jt][1]+fs)*H.width+$t[Jt][0];for(let $s=0;$s<ds;$s++)rt[zc+$s]=ln[ms[Lc++]]}}),H.getContext("2d").putImageData(U,0,0),T.forEach(({l:dt,h:gt,x:Jt,y:hs},ds)=>{let{rows:ms,columns:ln}=t[dt][gt];C.imageSmoothingEnabled=ln>y*M,C.drawImage(H,...$t[ds],ln,ms,Jt,hs,y,y)})},[t,e,n,y,u,JSON.stringify(c)]);let O=M=>{let _=d.current.getBoundingClientRect(),[C,q]=[Math.floor((M.clientY-_.top)/k),Math.floor((M.clientX-_.left)/A)];return T.find(({x:K,y:H})=>K===q*A&&H===C*k)??null},P=T.findIndex(({l:M,h:_})=>M===s&&_===o),L=M=>{let _={ArrowUp:[0,-k],ArrowDown:[0,k],ArrowLeft:[-A,0],ArrowRight:[A,0],Home:[-N,0],End:[N,0]}[M.key];if(!_||!r)return;M.preventDefault();let{x:C,y:q}=T[Math.max(0,P)],K=T.filter(U=>U.y===Math.max(0,Math.min(v-k,q+_[1]))),H=K[Math.max(0,Math.min(K.length-1,(C+_[0])/A))]??K.at(Math.sign(_[0])<0?0:-1);r(H.l,H.h)},F=({x:M,y:_},C)=>h`<rect class=${C} x=${g+M-2} y=${x+_-2} width=${y+4} height=${y+4} rx="4" />`,E=f??{l:s,h:o},D=({l:M,h:_,share:C})=>c?`${M+1}·${_+1}: ${Math.round(100*C)} %`:(l[M]?.[_]?.[0]??"").replace(" token","");return h`<div class="maps-overview" style=${{width:`${g+N}px`,height:`${x+v}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${m} data-heads=${`${t.length}x${w}`} onKeyDown=${L}
    onPointerMove=${M=>$(O(M))} onPointerLeave=${()=>$(null)}
    onClick=${M=>O(M)&&r?.(O(M).l,O(M).h)} aria-disabled=${r?null:"true"}>
    <canvas ref=${d} style=${{left:`${g}px`,top:`${x}px`,width:`${N}px`,height:`${v}px`}}></canvas>
    <svg width=${g+N} height=${x+v} aria-hidden="true">
      ${!c&&t.map((M,_)=>h`<text class=${_===s?"now":""} x=${Ao-8} y=${To+_*k+y/2} dy="0.35em"
        text-anchor="end">${_+1}</text>`)}
      ${!c&&Array.from({length:w},(M,_)=>h`<text class=${_===o?"now":""} x=${Ao+_*A+y/2} y=${To-8}
        text-anchor="middle">${_+1}</text>`)}
      <path class="cell" d=${T.map(({x:M,y:_})=>`M${g+M-.5} ${x+_-.5}h${y+1}v${y+1}h${-y-1}z`).join("")} />
      ${S&&T.map(M=>h`<text class="tag" x=${g+M.x+y/2} y=${x+M.y+y+10} text-anchor="middle">${D(M)}</text>`)}
      ${f&&r&&F(f,"pointed")}${P>=0&&F(T[P],"chosen")}
    </svg>
    <span id=${m} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${o+1} of ${t[s]?.length}${r?"; use the arrow keys to move":""}</span>
  </div><p class="hint maps-told">${`Layer ${E.l+1}, head ${E.h+1}: ${p(E.l,E.h)||"no pattern stands out"}`}</p>`}function Xh({bytes:t,limit:e},n){let s=new Uint32Array(re("weight").buffer),o=n==="own"&&e>0?1/Math.sqrt(e):1;return[t,Uint32Array.from({length:256},(r,a)=>s[Math.min(255,Math.round(a*o))])]}function Gh(t,e){let n=Math.max(t.limit,e.limit,1e-6),s=(r,a)=>(r/255)**2-(e.bytes[a]/255)**2;return[t.bytes.map((r,a)=>Math.max(0,Math.min(255,Math.round(255*(.5+s(r,a)/n/2))))),new Uint32Array(re("signed").buffer)]}var qt=40;function rl({ask:t,sides:e,heads:n,kind:s,layer:o,head:r,state:a,change:i,actions:l,differs:c,says:p,isFile:u,isLarge:d}){let[m,f]=Z(),$=Jh(m),[g,x]=j(null),[w,b]=n.map(({tile:H})=>H),y=!!e[1].maps,[S,A]=e,k=s.layers[o].grid,T=e.map(({maps:H,request:U})=>Zi(t,H?.pictured?{key:H.key}:null,U));W(()=>x(null),[S.maps?.key,A.maps?.key,s.name]);let N=w&&b&&String(w.shape)===String(b.shape),v=y&&a.compare==="difference",O=X(()=>v&&N?ed(w.weights,b.weights):null,[v,w?.weights,b?.weights]),P=[...k&&T[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],L=P.some(([H])=>H===a.show)?a.show:P[0][0],F=`Layer ${o+1}, head ${r+1}`,E={kind:s,layer:o,head:r,state:a,change:i,show:L,setPoint:x,grid:k,near:a.near,isFile:u,high:$},D=Math.max(w?.limit??0,y&&b?.limit||0),M=f<440,_=M?f:(f-24)/2,C=Math.max(160,y&&!v?_:f),q=v&&w&&b&&!N,K=(g??a.pin)?.[0]??null;return h`<${I} title=${F} class="maps-head" actions=${h`<div class="row maps-nameless">${P.length>1&&h`<fieldset
    class="maps-held" disabled=${u&&d}><${pt} label="Show as" value=${L} options=${P}
      onChange=${H=>i({show:H})} /></fieldset>`}${l}</div>`}>
    <div class="maps-split">
    <div ref=${m} class=${`maps-pair${y?" two":""}${M?" stacked":""}`}>
      ${w&&f>0&&(v&&!q?O&&h`<${Po} tile=${{...w,weights:O,limit:nd(O)}} signed maps=${S.maps} image=${T[0]}
          width=${C} name="First minus second" ...${E} />`:h`<${Po} tile=${{...w,limit:D}} maps=${S.maps} image=${T[0]} width=${q?_:C}
          name=${y?"First":null} ...${E} />
            ${y&&b&&h`<${Po} tile=${{...b,limit:D}} maps=${A.maps} image=${T[1]}
              width=${q?_:C} name="Second" ...${E} />`}`)}
    </div>
    <div class="maps-side">
    ${q&&h`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${w.shape.join(" × ")} and ${b.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${v&&!q&&c&&h`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${B} error=${n[0].error??n[1].error} />
    ${w&&h`${[w,y?b:null].map((H,U)=>H&&h`<${rd} key=${U} ask=${t} maps=${e[U].maps} kind=${s} layer=${o}
        head=${r} grid=${k} of=${y?["First: a","Second: a"][U]:"A"} says=${p[U]} />`)}
      <${od} ask=${t} layer=${o} head=${r} show=${L} point=${g??a.pin} pinned=${!g}
        tiles=${[w,y?b:null]} sides=${e} kind=${s} />
      ${K!==null&&h`<${id} ask=${t} sides=${e} kind=${s} layer=${o} head=${r} row=${K} isPinned=${a.pin?.[0]===K} isTwo=${y}
        onUnpin=${()=>(m.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[w,b]} />`}
      ${e.map((H,U)=>H.maps?.predicts&&H.isNow&&s.rows==="tokens"&&h`<${cd} key=${U} ask=${t} side=${H} row=${K}
        of=${y?["First: ","Second: "][U]:""} />`)}`}
    </div></div>
  </${I}>`}function Jh(t){let[e,n]=j(1/0);return at(()=>{let s=()=>{let r=t.current.getBoundingClientRect().top+globalThis.scrollY;n(r>.6*innerHeight?1/0:Math.max(320,innerHeight-r-70))},o=new ResizeObserver(s);return o.observe(document.documentElement),addEventListener("resize",s),()=>(o.disconnect(),removeEventListener("resize",s))},[]),e}function Po({tile:t,maps:e,image:n,width:s,name:o,signed:r,kind:a,layer:i,head:l,state:c,change:p,show:u,setPoint:d,grid:m,near:f,isFile:$,high:g}){let[x,w]=t.shape,b=(L,F)=>e.axes[L]?e.axes[L].slice(F):null,[y,S]=[b(a.rows,t.rows[0]),b(a.columns,t.columns[0])],A=r?t.limit:c.colour==="own"&&t.limit||1,k=`weights of layer ${i+1}, head ${l+1}${o?`, ${o}`:""}: ${a.rows} by ${a.columns}`,T=(L,F)=>p({pin:[t.rows[0]+L*t.pool,F===null?null:t.columns[0]+F*t.pool]}),N=(L,F)=>d(L==null?null:[t.rows[0]+L*t.pool,t.columns[0]+F*t.pool]),v=c.pin&&c.pin[1]!==null?al(c.pin,t):null,O=a.layers[i],P;if(u==="picture"&&m&&n&&!f){let L=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),w-1);P=h`<${nl} image=${n} weights=${t.weights} count=${w} first=${e.first} grid=${m} query=${L}
      limit=${r||c.colour==="one"?A:null} signed=${r} side=${Math.min(s,440)} label=${k}
      onQuery=${F=>p({pin:[F,null]})} onPoint=${d} />
      ${e.first>0&&h`<button class="quiet" aria-pressed=${L<e.first}
        onClick=${()=>p({pin:[0,null]})}>From the class token</button>`}`}else if(u==="lines"){let L=x<O.rows||w<O.columns;P=h`${L&&h`<div class="row"><${sl} near=${f??[0,0]} whole=${O} change=${p} isFile=${$} fixed /></div>`}<${td}
      tile=${t} rowNames=${y} columnNames=${S} width=${s} limit=${r?t.limit:t.limit||1} label=${k} state=${c}
      pin=${T} pointed=${d} />`}else{let L=wi(m?null:y?.slice(0,x),Math.max(x,w),s-18),F=Math.min(L,g-Qh(m?null:S?.slice(0,w),Math.min(L,g)/w)),E=Math.ceil(Math.max(x,w)/Math.max(F,64)),D=xo(t.weights,x,w,E),M=m||E>1?[null,null]:[y?.slice(0,x),S?.slice(0,w)],_=(U,rt)=>{let $t=D.at?.[U*D.columns+rt];return $t?[Math.floor(($t-1)/w),($t-1)%w]:[U*E,rt*E]},C=(U,rt)=>{let[$t,dt]=_(U,rt);return[y?.[$t*t.pool]??`${$t+1}`,S?.[dt*t.pool]??`${dt+1}`,z(t.weights[$t*w+dt])]},q=(U,rt)=>C(U,rt).join(" → ").replace(/ → (?!.* → )/,": "),K=(U,rt)=>h`${C(U,rt)[0]} → ${C(U,rt)[1]} <b>${C(U,rt)[2]}</b>`,H=h`<${Pt} data=${D.data} rows=${D.rows} columns=${D.columns} scale=${r?"signed":"weight"} limit=${A}
      label=${k} side=${F} says=${q} tip=${K} titles=${Yh} rowNames=${M[0]} columnNames=${M[1]}
        chosen=${v?.map(U=>Math.floor(U/E))} onChoose=${(U,rt)=>T(..._(U,rt))}
        onPoint=${(U,rt)=>U===null?N(null):N(..._(U,rt))} />`;P=h`${H}
      <div class="row maps-under"><${_e} scale=${r?"signed":"weight"} limit=${A}
        label=${r?"first minus second":A<.995?"and above":"weight"} />
        ${Math.max(O.rows,O.columns)>qt&&h`<${sl} near=${f} whole=${O} pin=${c.pin} change=${p} isFile=${$} />`}</div>
      ${t.pool*E>1&&h`<p
        class="hint">Each pixel is the strongest of ${t.pool*E} × ${t.pool*E} weights; look closer to see each.</p>`}`}return h`<div class="maps-one">${o&&h`<h3>${o}</h3>`}${P}</div>`}var Yh=["query ↓ looks","key → is looked at"];function Qh(t,e){let n=Math.max(0,...(t??[]).map(s=>s.length));return 24+(e<9||!t?0:n*7.2>e?18+7.2*Math.min(13,n):18)}function sl({isFile:t,...e}){return h`<fieldset class="maps-held row" disabled=${t}><${Zh} ...${e} /></fieldset>`}function Zh({near:t,whole:e,pin:n,change:s,fixed:o}){if(!t){let r=(a,i)=>Math.max(0,Math.min(i-qt,Math.round((a??0)-qt/2)));return h`<button onClick=${()=>s({near:[r(n?.[0],e.rows),r(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return h`${!o&&h`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${ct} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-qt+1)} step=${1}
      onChange=${r=>s({near:[r-1,t[1]]})} />
    <${ct} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-qt+1)} step=${1}
      onChange=${r=>s({near:[t[0],r-1]})} />`}function td({tile:t,rowNames:e,columnNames:n,width:s,limit:o,label:r,state:a,pin:i,pointed:l}){let[c,p]=t.shape,[u,d]=j(0),m=Math.max(c,p),f=Math.min(u,Math.max(0,m-Vt)),$=y=>[Math.min(f,Math.max(0,y-Vt)),Math.min(f+Vt,y)],[g,x]=[$(c),$(p)],w=X(()=>{let y=new Float32Array((g[1]-g[0])*(x[1]-x[0]));for(let S=g[0];S<g[1];S++)y.set(t.weights.subarray(S*p+x[0],S*p+x[1]),(S-g[0])*(x[1]-x[0]));return y},[t.weights,g[0],g[1],x[0],x[1]]),b=y=>Yn(w.subarray(y*(x[1]-x[0]),(y+1)*(x[1]-x[0])),1)[0]??0;return h`${m>Vt&&h`<${ct} label="Tokens from" value=${f+1} min=${1} max=${m-Vt+1} step=${1}
    onChange=${y=>d(y-1)} />`}
    <${tl} weights=${w} rows=${g[1]-g[0]} columns=${x[1]-x[0]} rowNames=${e?.slice(g[0])} columnNames=${n?.slice(x[0])}
      width=${s} limit=${o} label=${r}
      pinned=${a.pin?a.pin[0]-t.rows[0]-g[0]:null} first=${0}
      onPoint=${y=>l(y===null?null:[t.rows[0]+g[0]+y,t.columns[0]+x[0]+b(y)])} onPin=${y=>i(g[0]+y,x[0]+b(y))} />
    <p class="hint">${m>Vt?`${Vt} tokens of each side; f`:"F"}aint weights have no line.</p>`}var ed=(t,e)=>t.map((n,s)=>n-e[s]),nd=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function al([t,e],n){let[s,o]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&o>=0&&s<n.shape[0]&&o<n.shape[1]?[s,o]:null}var ol=(t,e,n)=>`${t.axes[e]?.[n]??""}`,Zn=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?ol(t,n,s)||`${n} ${s+1}`:`${ol(t,n,s)}`,sd={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function od({ask:t,layer:e,head:n,show:s,point:o,pinned:r,tiles:a,sides:i,kind:l}){let c=i[0].maps,p=o&&o[1]!==null&&a[0].pool>1?a[0].pool:0,u=p?{rows:[o[0],o[0]+p],columns:[o[1],o[1]+p],most:16}:null,d=le(t,u&&{key:c.key,kind:l.name,layer:e,head:n,...u},i[0].request),m=le(t,u&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...u}:null,i[1].request),f=d.tile&&o&&d.tile.rows[0]===o[0]&&d.tile.columns[0]===o[1];if(p&&f&&d.tile.pool===1){let y=Yn(d.tile.weights,1)[0]??0;o=[o[0]+Math.floor(y/d.tile.shape[1]),o[1]+y%d.tile.shape[1]],a=[d.tile,m.tile]}let $=o;if(!$||$[1]===null)return h`<p class="maps-reading hint">${sd[s]}</p>`;let g=a.map(y=>{let S=y&&al($,y);return S?y.weights[S[0]*y.shape[1]+S[1]]:null}),x=[Zn(c,l,l.rows,$[0]),Zn(c,l,l.columns,$[1])],w=l.layers[0].grid?"":` (${$[0]+1} → ${$[1]+1})`,b=a[0].pool>1?", the largest around":"";return h`<p class="maps-reading" data-reading>${r?"Pinned: ":""}<b>${x[0]}</b> → <b>${x[1]}</b><span
    class="hint">${w}${b}</span>
    <span class="maps-number" data-weight=${g[0]}>${z(g[0],4)}</span>
    ${a[1]&&h`<span class="hint maps-and">second</span><span class="maps-number">${z(g[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${g[1]===null?"–":z(g[0]-g[1],4)}</span>`}</p>`}function rd({ask:t,maps:e,kind:n,layer:s,head:o,grid:r,of:a,says:i}){let{response:l}=Q(t,"facts",{key:e.key,kind:n.name,layer:s,head:o}),c=l&&n.rows===n.columns&&!r?`, ${z(l.distance,2)} tokens away on average`:"",p={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=l&&`${a} query looks at about ${z(2**l.entropy,2)} tokens: ${z(l.entropy,3)} bits of entropy${c}.${p}`;return h`${i&&h`<p class="maps-tags">${i.split(", ").map(d=>h`<span class="badge">${d}</span>`)}</p>`}
    <p class="hint maps-facts" data-entropy=${l?.entropy}>${u??" "}</p>`}function ad(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function id({ask:t,sides:e,kind:n,layer:s,head:o,row:r,isPinned:a,isTwo:i,onUnpin:l,tiles:c}){let p=e.map(b=>b.maps?.kinds.find(y=>y.name===n.name)?.layers[s]),u=c.map((b,y)=>ad(b,p[y],r)),d=b=>{let y=e[b];return!u[b]&&p[b]&&r<p[b].rows&&o<p[b].heads?{key:y.maps.key,kind:n.name,layer:s,head:o,rows:[r,r+1],most:4096}:null},m=[le(t,d(0),e[0].request),le(t,i?d(1):null,e[1].request)],f=u[0]??m[0].tile?.weights;if(!f)return null;let $=i?u[1]??m[1].tile?.weights:null,g=e[0].maps,x=Yn(f,ld),w=f[x[0]]||1;return h`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${Zn(g,n,n.rows,r)}${n.layers[0].grid?"":` (${r+1})`} looks at most</h3>
      ${a&&h`<button class="quiet" onClick=${l}>Unpin</button>`}</div>
    <table class="lines" data-pinned=${a?r:null} data-looks=${r}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${$&&h`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${x.map(b=>h`<tr><td>${Zn(g,n,n.columns,b)}</td><td class="number">${b+1}</td><td
        class="number">${z(f[b],4)}</td>
        ${$&&h`<td class="number">${b<$.length?z($[b],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*f[b]/w}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var ld=6;function cd({ask:t,side:e,row:n,of:s}){let{response:o,of:r}=Q(t,"next",{model:e.request.model,text:e.request.text}),a=e.maps.axes.tokens;if(!o||o.tokens.length!==a.length||JSON.parse(r).text!==e.request.text)return null;let i=n===null||n>=a.length?a.length-1:n;return h`<div class="maps-next" data-next=${i}><h3>${s}After ${a[i]} (${i+1}) the model expects</h3>
    <table><tbody>${o.tokens[i].map((l,c)=>h`<tr class=${l===a[i+1]?"now":""}><th scope="row">${l}</th>
      <td class="number">${(100*o.probabilities[i][c]).toFixed(1)} %</td><td class="maps-bar"><span style=${{width:`${100*o.probabilities[i][c]}%`}}></span></td></tr>`)}</tbody></table>
    ${a[i+1]!==void 0&&h`<p class="hint">Next in the text: ${a[i+1]}.</p>`}</div>`}var pd=8*2**20;function ll(t,{model:e,text:n,target:s,image:o,step:r,picture:a},i){let l=ts(t,e);if(!l)return null;let c={model:l.name};if(r!==null&&l.steps.includes(r))return{...c,step:r};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:Lo(l,o)};if(l.takes==="nothing")return c;let p=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:p,target:s}:{...c,text:p}}var Lo=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function ts(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function cl(t,{text:e,target:n,image:s,step:o,picture:r}){let a={model:t.name,text:e,target:n,image:s,step:o,picture:r},i=t.examples.find(p=>p!==(e??t.examples[0]));if(!t.steps.includes(o)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(p=>p!==o);return c!==void 0?{...a,step:c}:{...a,image:ud(t,s,r),picture:""}}var ud=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function Ro({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var hd=t=>t.length>240?`${t.slice(0,239)}…`:t;function Do({models:t,value:e,set:n,pictures:s,open:o,side:r,title:a,place:i,more:l}){let c=ts(t,e.model),p=g=>t.filter(x=>x.group===g).map(x=>[x.name,x.label]),u=[...new Set(t.map(g=>g.group))].map(g=>[g,p(g)]),d=e.step!==null&&c.steps.includes(e.step),m=g=>n({model:g,text:null,target:"",step:null}),f=r.maps?.caption,$=d&&r.isNow?Ro(r):null;return h`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      ${a!=="Model and input"&&h`<b>${a}</b>`}
      <${nt} label="Model" value=${c.name} options=${u} onChange=${m} />
      ${c.steps.length>0&&h`<${nt} label="Training" value=${d?e.step:""}
        onChange=${g=>n({step:g===""?null:Number(g)})}
        options=${[["","done"],...c.steps.map(g=>[g,`step ${g.toLocaleString("en")}, recorded`])]} />`}
      ${!d&&c.takes!=="image"&&c.examples.length>1&&h`<${nt} label="Try" value="" onChange=${g=>g&&n({text:g})}
        options=${[["","an example"],...c.examples.map(g=>[g,g.replace(`
`," ").slice(0,40)])]} />`}
      ${l}
    </div>
    ${d||c.takes==="nothing"?null:c.takes==="image"?h`<${fd} one=${c} value=${e} set=${n} pictures=${s}
      open=${o} place=${i} />`:h`<${il} label=${c.takes==="letters"?"A string of a, b, c and d":c.takes==="pair"?"Source":"Text"}
        value=${e.text??c.examples[0]??""} onChange=${g=>n({text:g})} />`}
    ${!d&&c.takes==="pair"&&h`<${il} label="Target (empty: what the model writes)" value=${e.target} onChange=${g=>n({target:g})} />`}
    <${md} side=${r} />
    ${$&&h`<p>Reads ${c.takes==="image"?"the recorded image":h`<span class="maps-read">${hd($)}</span>, as it was recorded`}.</p>`}
    ${f&&!($&&f==="as recorded")&&h`<p class="hint">${f}</p>`}
  </div>`}var dd=250;function il({label:t,value:e,onChange:n}){let s=Y(),[o,r]=j(null),a=R(0);W(()=>()=>clearTimeout(a.current),[]);let i=p=>(clearTimeout(a.current),p!==null&&p!==e&&n(p)),l=({target:p})=>{r(p.value),clearTimeout(a.current),a.current=setTimeout(()=>i(p.value),dd)},c=o??e;return h`<div class="control maps-text"><label for=${s}>${t}</label>
    <textarea id=${s} rows=${Math.min(4,c.split(`
`).length)} spellcheck=${!1} maxlength="40000" value=${c} placeholder="type something: the maps follow"
      onInput=${l} onBlur=${()=>(i(o),r(null))}
      onKeyDown=${p=>p.key==="Enter"&&(p.ctrlKey||p.metaKey)&&i(o)}></textarea></div>`}function md({side:{maps:t,isNow:e}}){let n=Math.max(0,...Object.values(t?.axes??{}).map(s=>s.length));return!e||!t?.context||n<=t.context?null:h`<p class="maps-warned" role="status">The model was made for up to ${t.context.toLocaleString("en")} tokens, and reads
    ${" "}${n.toLocaleString("en")}: what its heads do beyond was never trained.</p>`}function fd({one:t,value:e,set:n,pictures:s,open:o,place:r}){let a=Y(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>pd)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>o(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},p=Lo(t,e.image),u=s.has(e.picture)?e.picture:"",d=m=>n({picture:"",image:Lo(t,m)});return h`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${p} onChange=${m=>d(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>d(p-1)} disabled=${p<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>d(p+1)} disabled=${p>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${u?u.slice(0,28):"Open a picture …"}</span></label>
    ${u&&h`<button class="quiet" onClick=${()=>d(p)}>Use the test image</button>`}
    ${u&&r==="page"&&h`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!u&&h`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&h`<p class="error">${i}</p>`}
  </div>`}var $d=8,zo=new WeakMap,pl=(t,e)=>new Map([...Object.entries(e??{}),...zo.get(t)??[]]);function ul(t,e,n){let s=zo.get(t)??new Map,o=e;for(let r=2;s.has(o)&&s.get(o)!==n;r++)o=`${e} (${r})`;return s.delete(o),zo.set(t,new Map([...s,[o,n]].slice(-$d))),o}var jo=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var fl={model:"",text:null,target:"",image:0,step:null,picture:""},gd={...fl,other:null,compare:"side",kind:"",layer:null,head:null,by:"",show:"",colour:"own",pin:null,near:null},$l=512,xd=6*2**20;function yd({ask:t,state:e,change:n,place:s}){let o=Q(t,"models",{}),r=o.response?.models??null,a=pl(t,e.pictures),i=typeof e.other=="object"&&e.other?{...fl,...e.other}:null,l=hl(t,r,e,a),c=hl(t,r,i,a),p=wd(l,c,e.kind),[u,d]=vd(p,e.layer,e.head),m=p?{...e,..._d(p.layers[u],e)}:e,f=dl(t,l,p,u,d,m),$=dl(t,c,p,u,d,m),g=R(null);if(o.error)return h`<${B} error=${o.error} />`;if(!r)return h`<${B} waiting=${o.waiting} />`;if(!r.length)return h`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let x=[e.model,i?.model].find(L=>L&&!r.some(F=>F.name===L));if(x)return h`<${B} error=${`There is no model called ${x} here.`} />
      <button onClick=${()=>n({model:"",other:null})}>Look at ${r[0].name}</button>`;let w=L=>"model"in L?{layer:null,head:null,by:""}:p?{layer:u,head:d}:{},b=L=>n({...L,...w(L),pin:null,near:null}),y=L=>n({other:{...i,...L},pin:null,near:null}),S=L=>n({other:L?cl(ts(r,e.model),e):null,near:null}),A=[e.picture,i?.picture],k=L=>(F,E)=>{let D=ul(t,F,E);s==="notebook"&&n({pictures:{...jo(a,A),[D]:E}}),L({picture:D})},T=s==="file",N=xl(l,c),v=[l,c],O=[l,c].filter(L=>L.maps),P=h`<fieldset class="maps-held" disabled=${T}><${Mt} label="Compare with a second text, model or checkpoint" value=${i!==null}
    onChange=${S} /></fieldset>`;return h`<div class=${`maps${i?" two":""}`} ref=${g}>
    <${I} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${T}>
        <${Do} title=${i?"First":"Model and input"} models=${r} value=${e} set=${b} pictures=${a}
          open=${k(b)} side=${l} place=${s} more=${i?null:P} />
        ${i&&h`<${Do} title="Second" models=${r} value=${i} set=${y} pictures=${a}
          open=${k(y)} side=${c} place=${s} />`}
      </fieldset>
      ${(i||T)&&h`<div class="row maps-nameless">
        ${i&&h`${P}<${pt} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${L=>n({compare:L})} />`}
        ${T&&h`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>`}
      <${B} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${I}>
    ${p&&h`
      <${kd} ask=${t} sides=${O} kind=${p} layer=${u} head=${d} state=${m}
        kinds=${N} change=${n} isFile=${T} />
      <${rl} ask=${t} sides=${v} heads=${[f,$]} kind=${p} layer=${u} head=${d} state=${m} change=${n}
        differs=${bd(l,c)} says=${v.map(L=>L.maps?qo(tn(L.maps,p),u,d):"")} isFile=${T} isLarge=${bl(p.layers[u])}
        actions=${h`<${ot} name=${`maps-layer-${u+1}-head-${d+1}`} of=${g} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:jo(a,A)}}
          numbers=${()=>Cd([f,$],[l,c],p)} saves=${()=>Ad(O,p,u,d,m)} />`} />`}
  </div>`}function hl(t,e,n,s){let o=e&&n?ll(e,n,s):null,{response:r,error:a,waiting:i,of:l}=Q(t,"maps",o),c=o&&JSON.stringify(o),p=!!o&&l===c;return{request:o,isNow:p,maps:o&&(p||!a)?r:null,error:o?a:null,waiting:!!o&&i}}function bd(t,e){let[n,s]=[t,e].map(o=>o.isNow?Ro(o):null);return n!==null&&s!==null&&n!==s}function dl(t,e,n,s,o,r){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&o<a.layers[s].heads;return le(t,i?gl(e.maps,a,s,o,r):null,e.request)}function gl(t,e,n,s,{near:o,show:r}){let{rows:a,columns:i}=e.layers[n],l=yl({rows:a,columns:i},o)??(r==="lines"&&bl({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+qt],columns:[l[1],l[1]+qt]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:$l}}var xl=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function wd(t,e,n){let s=xl(t,e),o=[t,e];return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var en=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function vd(t,e,n){if(!t)return[0,0];if(!Number.isFinite(e)&&!Number.isFinite(n))return t.telling;let s=en(e,t.layers.length);return[s,en(n,t.layers[s].heads)]}function _d({rows:t,columns:e},{pin:n,near:s}){let o=typeof n?.[1]=="number"?en(n[1],e):null;return{pin:Array.isArray(n)?[en(n[0],t),o]:null,near:yl({rows:t,columns:e},s)}}var yl=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,o)=>en(n[o],Math.max(1,s-qt+1))):null,bl=({rows:t,columns:e})=>Math.max(t,e)>$l;function kd({ask:t,sides:e,kind:n,kinds:s,layer:o,head:r,state:a,change:i,isFile:l}){let[c,p]=Z(),u=[0,1].map(k=>Qi(t,e[k]?{key:e[k].maps.key,kind:n.name}:null,e[k]?.request)),d=l&&!e.every(({maps:k})=>wl(tn(k,n),a)),m=d?"head":l&&s.length>1?"kind":null,f=d?null:(k,T)=>i({layer:k,head:T}),[$,g]=u.map(k=>k.thumbs),x=e.length>1&&a.compare==="difference"&&$&&g&&Nd($,g),w=`${n.layers.length} layers of heads, ${n.title}`,{patterns:b,order:y,isWeak:S}=Sd(n,a.by),A={colour:a.colour,layer:o,head:r,onChoose:f,width:Math.max(p,120),tags:n.layers.map(k=>k.tags),order:y,says:(k,T)=>qo(n,k,T)};return h`<${I} title="All heads" class="maps-all" >
    ${s.length>1&&h`<fieldset class="maps-held maps-nameless" disabled=${l}><${pt} label="Kind" value=${n.name}
      options=${s.map(k=>[k.name,k.title])} onChange=${k=>i({kind:k,layer:null,head:null,by:"",pin:null,near:null})} /></fieldset>`}
    ${b.length>0&&h`<${nt} label="Show" value=${y?a.by:""} onChange=${k=>i({by:k})}
      options=${[["","all: layer ↓, head →"],["Sorted by what they look at",b.map(([k,T])=>[k,`${k} (${T})`])]]} />`}
    ${S&&h`<p class="hint">No head puts clearly more there than even attention would: these put most.</p>`}
    <div ref=${c} class="maps-grids">
      ${$&&p>0&&h`<div>${e.length>1&&h`<h3>${x?"First minus second":"First"}</h3>`}
        <${Oo} thumbs=${$} minus=${x?g:null} label=${w} ...${A} /></div>`}
      ${g&&p>0&&e.length>1&&!x&&h`<div><h3>Second</h3><${Oo} thumbs=${g}
        label=${`${w}, second`} ...${A} order=${y?.filter(([k,T])=>g[k]?.[T])??null} tags=${tn(e[1].maps,n).layers.map(k=>k.tags)}
        says=${(k,T)=>qo(tn(e[1].maps,n),k,T)} /></div>`}
    </div>
    ${m&&h`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${B} error=${u[0].error??u[1].error} />
    <${pt} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${k=>i({colour:k})} />
  </${I}>`}var Md=8;function Sd({layers:t},e){let n=t.flatMap((i,l)=>Array.from({length:i.heads},(c,p)=>[l,p])),s=i=>n.filter(([l,c])=>t[l].tags[c].includes(i)),o=Object.keys(t[0].scores).map(i=>[i,s(i).length]);if(!o.some(([i])=>i===e))return{patterns:o,order:null,isWeak:!1};let r=i=>i.map(([l,c])=>[l,c,t[l].scores[e]?.[c]??0]).sort((l,c)=>c[2]-l[2]),a=r(s(e));return{patterns:o,order:a.length?a:r(n).slice(0,Md),isWeak:!a.length}}var qo=({layers:t},e,n)=>t[e]?.tags[n]?.map(s=>`${s} ${Math.round(100*t[e].scores[s][n])} %`).join(", ")??"",ml=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),Nd=(t,e)=>ml(t)===ml(e);function Cd(t,e,n){let s={};return t.forEach(({tile:o},r)=>{if(!o)return;let a=(i,[l,c])=>e[r].maps.axes[i]?.slice(l,c).filter((p,u)=>u%o.pool===0);s[r?"second":"weights"]={shape:o.shape,data:o.weights,rows:a(n.rows,o.rows),columns:a(n.columns,o.columns)}}),s}var tn=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,wl=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=xd;function Ad(t,e,n,s,o){let r=[["models",{}]];for(let{request:a,maps:i}of t){let l=tn(i,e),c=l.layers.flatMap((p,u)=>Array.from({length:p.heads},(d,m)=>[u,m]));r.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&r.push(["picture",{key:i.key}]),i.predicts&&r.push(["next",{model:a.model,text:a.text}]);for(let[p,u]of wl(l,o)?c:[[n,s]])r.push(["tile",gl(i,l,p,u,o)],["facts",{key:i.key,kind:e.name,layer:p,head:u}]);o.pin&&r.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[o.pin[0],o.pin[0]+1],most:4096}])}return r}var vl={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture: point at a token to read its numbers.",state:gd,View:yd};var _l=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function Fo(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,o]=_l.find(([r])=>Math.abs(n)>=r*.9999999)??_l.at(-1);return`${Number((n/s).toPrecision(3))} ${o}${e}`}var vt={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},V=t=>t.toLocaleString("en"),es=(t,e)=>lt(t/e,3);function Io({claim:t,place:e}){return!t||e!=="page"?null:h` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function Xt({label:t,value:e,values:n,onChange:s,says:o=V}){let r=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return h`<${ct} label=${t} value=${r} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>o(a===r?e:n[a])} />`}function Wo(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var nn=["flops","bytes","memory","seconds"];function Sl({found:t,saving:e}){let n=R(null),s=t.response,o=s?.candidates.filter(l=>l.refusal===null)??[],r=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&h`<${ot} name="plan" of=${n} numbers=${()=>{let l=o.flatMap(c=>nn.map(p=>c[p]));return{plan:{shape:[o.length,nn.length],data:l,rows:o.map(c=>c.name),columns:nn,axes:["algorithm","cost"]}}}} ...${e} />`;return h`<${I} title="The plan" actions=${i}>
    <${B} error=${t.error} waiting=${!s&&t.waiting} lines=${6} />
    ${s&&h`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is predicted to be the fastest <${yt} of="exact">exact<//> way to this mechanism.${Ed(s)}</p>
      ${Ml(s)&&h`<p class="error" data-too-large>${Ml(s)}</p>`}
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${V(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${nn.map(l=>h`<th class="number" title=${vt[l].about}>${vt[l].name}</th>`)}</tr></thead>
        <tbody>
          ${o.map(l=>h`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&h` <span class="badge">chosen</span>`}</th>
            <${kl} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${kl} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${r.length>0&&h`<details class="patterns-refused"><summary>${r.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${r.map(l=>h`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function kl({one:t}){return nn.map(e=>h`<td class="number" data-cost=${`${t.name} ${e}`} title=${Td(t[e],e)}>
    ${Fo(t[e],vt[e].unit)}</td>`)}var Td=(t,e)=>e==="seconds"?`${t} s`:`${V(t)} ${vt[e].unit}`;function Ed(t){let[e]=t.candidates,n=a=>Number((t.full[a]/e[a]).toPrecision(2)),s=(a,i)=>Number.isFinite(n(a))&&n(a)!==1?[`${n(a)} times the ${i}`]:[],o=[...s("flops","FLOPs"),...s("memory","memory"),...s("seconds","predicted time")],r=n("seconds")<1?" This mechanism saves no time at this size.":"";return o.length?` Full attention, another mechanism, takes ${o.join(", ").replace(/, ([^,]*)$/," and $1")}.${r}`:""}function Ml({chosen:t,candidates:e,room:n,inputs:s,device:o}){let r=s+(e[0].memory??0);return n===null||r<=n?null:`It does not fit: ${t} needs ${Fo(r,"B")} with q, k, v and the output, and ${o} has ${Fo(n,"B")}. Use fewer tokens, heads or rows of a batch.`}var Nl=["①","②","③","④"],Od=t=>Math.abs(t)>=1e7?qn(t):z(t);function Cl({found:t,request:e,quantity:n,compare:s,change:o,saving:r,place:a}){let i=R(null),l=t.response,c=l?Pd(l,n,s):[],p=l&&s==="full"?zd(l,n):[],u=()=>{let m=g=>Object.keys(vt).map(x=>({name:`${g.name}, ${x}`,data:g[x]})),f=l.curves.flatMap(m).filter(g=>g.data.some(x=>x!==null)),$=l.tokens.flatMap((g,x)=>f.map(w=>w.data[x]));return{growth:{shape:[l.tokens.length,f.length],data:$,rows:l.tokens,columns:f.map(g=>g.name),axes:["tokens","cost"]}}},d=l&&h`<${ot} name="growth" of=${i} caption=${`How the cost of ${e.mask} grows with the number of tokens: ${vt[n].about}.`} numbers=${u} ...${r} />`;return h`<${I} title="How the cost grows" actions=${d}>
    <div class="row patterns-choices">
      <${pt} label="Show" value=${n} options=${Object.entries(vt).map(([m,f])=>[m,f.name])}
        onChange=${m=>o({quantity:m})} />
      <${pt} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>o({compare:m})} />
    </div>
    <${B} error=${t.error} waiting=${!l&&t.waiting} lines=${8} />
    ${l&&h`<div ref=${i}>
      <p class="patterns-axis">${vt[n].axis} <span aria-hidden="true">↑</span></p>
      <${jt} series=${c} label=${`${vt[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Od} marks=${Ld(p)} />
      ${p.length>0&&h`<ol class="patterns-crossings">
        ${p.map((m,f)=>h`<li><span aria-hidden="true">${Nl[f]}</span><span><${Dd} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${jd} curves=${c} />${s==="full"?` ${qd(l)}`:""}</p>
    </div>`}
  <//>`}function Pd(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],o=vt[e].times??1,r=a=>a.map(i=>i===null?NaN:i*o);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:r(a[e]),exponent:a.exponent[e]}))}function Ld(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${Nl[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function zd(t,e){let n=t.crossings.filter(o=>o.quantity===e&&(o.more||o.right!=="projections")),s=!n.some(o=>o.left==="this mechanism"&&o.right==="full attention")&&Rd(t,e);return n.filter(o=>!(s&&o.left==="this mechanism")).sort((o,r)=>o.tokens-r.tokens)}function Rd(t,e){let[n,s]=["ours","full"].map(o=>t.curves.find(r=>r.kind===o)[e]);return n.every((o,r)=>o===s[r])}function Dd({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",o=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",r=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${r}${a}`;return h`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${V(t.tokens)}</b> ${i}<${Io} claim=${o} place=${n} />.`}function jd({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?h`At the end they grow as ${e.map((n,s)=>h`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function qd(t){let n=t.chosen.map((s,o)=>[s,t.tokens[o]]).filter(([s],o)=>s&&s!==t.chosen[o-1]).map(([s,o],r)=>r?`${s} from ${V(o)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${V(t.tokens.at(-1))} tokens are compared.`}var ns=[0,.1,.36],Fd=512,Id="Point at the map, or use the arrow keys.",Wd=" Press Enter to follow that query through the layers below.";function Al({found:t,request:e,output:n,onChoose:s,saving:o}){let r=R(null),{header:a,levels:i}=X(()=>Hd(t.response),[t.response]),l=()=>({mask:{shape:[a.rows,a.columns],data:i,axes:["query","key"]}}),c=a&&h`<${ot} name="mask" of=${r} caption=${`Who sees whom under ${e.mask}, ${V(a.tokens)} tokens: queries down, keys across.`} numbers=${l} ...${o} />`;return h`<${I} title="Who sees whom" actions=${c}>
    <${B} error=${t.error} waiting=${!a&&t.waiting} lines=${12} />
    ${a&&h`<${Bd} header=${a} levels=${i} request=${e} output=${n} picture=${r}
      onChoose=${o.place==="file"?null:s} />`}
  <//>`}function Bd({header:t,levels:e,request:n,output:s,onChoose:o,picture:r}){ht();let[a,i]=Z(),[l,c]=j(null),p=X(()=>Float32Array.from(e,m=>ns[m]),[e]),u=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,d=(m,f)=>Vd(t,e,m,f,n.grid);return h`<div class="patterns-map" ref=${a}>
    <div ref=${r} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&h`<div class="patterns-framed">
        ${u!==null&&h`<span class="patterns-followed" style=${{top:`${100*(u+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${Pt} data=${p} rows=${t.rows} columns=${t.columns} side=${Ud(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${u===null?null:[u,u]}
          onChoose=${o&&(m=>o(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${d} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${Ho} shade=${ns[2]} />visible</li>
        ${t.cell>1&&h`<li><${Ho} shade=${ns[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${Ho} shade=${ns[0]} />hidden</li>
        ${t.cell>1&&h`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${Bo} name="visible pairs" count="visible" value=${V(t.visible)} note=${`of ${V(t.pairs)}, ${es(t.visible,t.pairs)}`} />
        <${Bo} name=${h`<${yt} of="key">keys<//> that a <${yt} of="query">query<//> sees`} count="most" value=${Tl(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${V(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${Bo} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${V(t.visited)}
          note=${`of ${V(t.blocks)}; they hold ${V(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?d(...l):h`<span class="hint">${Id}${o&&Wd}</span>`}</p>
      ${t.batch&&h`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var Bo=({name:t,count:e,value:n,note:s})=>h`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function Hd(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function Ud(t,e){let n=Math.min(Fd,e);return n>=t.rows&&t.rows>40?t.rows*Math.floor(n/t.rows):n}var Tl=(t,e)=>t===e?V(t):`${V(t)} to ${V(e)}`,Kd=["hidden","visible in part","visible"];function Vd(t,e,n,s,o){let r=c=>{let[p,u]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return o&&t.cell===1?`(${Math.floor(p/o[1])}, ${p%o[1]})`:p===u?V(p):`${V(p)}–${V(u)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${r(n)}, ${t.cell===1?"key":"keys"} ${r(s)}: ${Kd[e[n*t.columns+s]]}. The ${a} ${i} ${Tl(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function Ho({shade:t}){return h`<span class="patterns-swatch" style=${{background:Ot(t,"weight",1)}} aria-hidden="true"></span>`}var Xd=450,Gd="A token reaches an output if its value can get there through the layers, whatever the weights.",ss=t=>`${t} ${t===1?"layer":"layers"}`;function El({found:t,state:e,change:n,clipped:s,saving:o}){let r=R(null),[a,i]=j(!1),{header:l,first:c}=X(()=>Jd(t.response),[t.response]),p=l?.depths.length??e.layers,u=Math.min(e.depth??p,p);W(()=>{if(!a)return;if(u>=p)return i(!1);let x=setTimeout(()=>n({depth:u+1}),Xd);return()=>clearTimeout(x)},[a,u,p]);let d=()=>a?i(!1):(n({depth:u>=p?1:u}),i(!0)),m=()=>{let x=["fewest","mean","most","here","formula","convolution"],w=l.depths.flatMap(b=>x.map(y=>b[y]));return{reach:{shape:[p,x.length],data:w,rows:l.depths.map(b=>b.layers),columns:x}}},{place:f}=o,$=f==="file"?null:x=>n({output:x}),g=l&&h`<${ot} name="reach" of=${r} numbers=${m} ...${o} />`;return h`<${I} title="How far layers reach" actions=${g} note=${Gd}>
    <div class="row patterns-choices">
      <${kt} place=${f} noted=${!1}><${ct} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${V}
        onChange=${x=>n({layers:x,depth:null})} /><//>
      <${ct} label="Show after" value=${u} min=${1} max=${p} step=${1} says=${ss}
        onChange=${x=>(i(!1),n({depth:x}))} />
      ${!Ut()&&h`<button onClick=${d} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${kt} place=${f} noted=${!1}><${Mt} label="residual connections" value=${e.residual}
        onChange=${x=>n({residual:x})} /><//>
    </div>
    <${ae} place=${f} what="change the layers, or follow another token" />
    <${B} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&h`<div ref=${r} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${Yd} header=${l} depth=${u} /></p>
      ${l.sides.length===2?h`<${Qd} header=${l} first=${c} depth=${u} onChoose=${$} />`:h`<${Zd} header=${l} first=${c} depth=${u} onChoose=${$} />`}
      <${em} header=${l} depth=${u} />
    </div>
    ${s&&h`<p class="hint">Computed for ${l.sides.map(V).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function Jd(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,o=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:o,count:e.tokens}}}var Uo=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function Yd({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${V(t.output)}`,r=`${n.here===t.tokens?"all":`${V(n.here)} of`} ${V(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${es(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return h`After ${ss(e)} <b data-reached=${n.here}>${r}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function Qd({header:t,first:e,depth:n,onChoose:s}){let[o,r]=t.sides,[a,i]=Z(),l=X(()=>{let p=new Float32Array(t.tokens);for(let u=n;u>=1;u--)for(let d=0;d<t.tokens;d++)e.reached[(u-1)*t.tokens+d]&&(p[d]=Uo(u,t.depths.length));return p},[e,n]),c=(p,u)=>{let d=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+p*r+u]);return`pixel (${p}, ${u}): ${d<0?"never reaches the output":`reaches it from layer ${d+1} on`}`};return h`<div class="patterns-field" ref=${a}>
    ${i>0&&h`<${Pt} data=${l} rows=${o} columns=${r} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${ss(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/r),t.output%r]} onChoose=${s&&((p,u)=>s(p*r+u))} says=${c} />`}
    <${tm} header=${t} />
    ${s&&h`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function Zd({header:t,first:e,depth:n,onChoose:s}){let o=ht(),r=R(null),[a,i]=Z(),l=t.depths.length;at(()=>{if(!i)return;let u=new Float32Array((l+1)*t.tokens);u[t.output]=1;for(let m=1;m<=n;m++){let f=Uo(m,l);for(let $=0;$<t.tokens;$++)e.reached[(m-1)*t.tokens+$]&&(u[m*t.tokens+$]=f)}let d=Math.max(64,Math.min(t.tokens,Math.floor(i)));Kn(r.current,u,l+1,t.tokens,"weight",1,d)},[t,e,n,i,o]);let c=u=>{let d=u.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((u.clientX-d.left)/d.width*t.tokens))))},p=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return h`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${p}px`}} aria-hidden="true"><span>output</span><span>${ss(l)}</span></div>
    <div ref=${a}><canvas ref=${r} role="img" style=${{height:`${p}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(u=>u.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${V(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${ct} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${V} />
    </div>
  </div>`}function tm({header:t}){ht();let e=t.depths.length,n=s=>Ot(Uo(s,e),"weight",1);return h`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>h`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function em({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),o=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&o.push({name:"by the formula",x:n,y:s("formula")}),o.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let r=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return r||o.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),h`<div class="patterns-growing">
    <${jt} series=${o} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${z} />
    <p class="note">${t.formula!==null?h`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${r&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var Ko=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],Vo=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],Ll={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},zl=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],nm=Wo(16,131072),Ol=Wo(4,128),Pl=[1,2,4,8,16,32,64],Xo=4096,Me={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function sm(t){let e=s=>t[s].slice(0,300),n=(s,o,r)=>be(t[s],o,r,Me[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:Wn(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Ve(t.device,Object.keys(Ll),Me.device),dtype:Ve(t.dtype,zl.map(([s])=>s),Me.dtype),quantity:Ve(t.quantity,Object.keys(vt),Me.quantity),compare:Ve(t.compare,["full","algorithms"],Me.compare)}}function om({ask:t,state:e,change:n,place:s}){let o=sm(e),r=Q(t,"presets",{}),a=rm(o),i=bt(t,"mechanism",a.mechanism),l=bt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},p=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),u=R(null);p&&Object.keys(c).length===0&&(u.current=am(o,a));let d=u.current,m=bt(t,"pattern",d?.pattern),f=bt(t,"plan",d?.plan),$=bt(t,"reach",d?.reach),g=Q(t,"growth",d?.growth),w={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(d)],ask:t,view:"patterns",state:o,place:s},b=$.response?.header.output??null;return h`<div class="sided patterns">
    <${kt} class="patterns-left" place=${s}>
      <${lm} known=${r} state=${o} change=${n} wrong=${c} place=${s} />
      <${pm} devices=${r.response?.devices??[o.device]} state=${o} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!p)}>
      ${a.second&&h`<${kt} class="patterns-turns" place=${s} noted=${!1}><${pt} label="Mask, plan and cost of" value=${o.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${y=>n({shown:y})} /><//>`}
      ${d===null&&Object.keys(c).length>0&&h`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${Al} found=${m} request=${d?.pattern} output=${b} onChoose=${y=>n({output:y})} saving=${w} />
      <${Sl} found=${f} saving=${w} />
      <${Cl} found=${g} request=${a.mechanism} quantity=${o.quantity} compare=${o.compare}
        change=${n} saving=${w} place=${s} />
      <${El} found=${$} state=${o} change=${n} clipped=${d!==null&&im(o)} saving=${w} />
    </div>
  </div>`}function rm({mask:t,second:e,shown:n,scores:s,weighting:o,tokens:r,grid:a,batch:i,heads:l,width:c,device:p,dtype:u,backward:d}){let m={scores:s,weighting:o,tokens:r,grid:a,batch:i,heads:l,width:c,device:p,dtype:u||null,backward:d},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function am(t,{mechanism:e,masks:n}){let{tokens:s,...o}=e,r=Rl(t),a=r.grid?r.grid[0]*r.grid[1]:r.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...o,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...r,layers:t.layers,residual:t.residual,output:i}}}var Rl=({tokens:t,grid:e})=>e&&e[0]*e[1]>Xo?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(Xo)))}:{tokens:e?t:Math.min(t,Xo),grid:e},im=t=>JSON.stringify(Rl(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function lm({known:t,state:e,change:n,wrong:s,place:o}){let r=Y(),a=t.response?.presets??[],i=d=>["mask","second","scores","weighting"].every(m=>d[m]===e[m])&&!!d.grid==!!e.grid,l=a.find(i),c=({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:w})=>n({mask:d,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:w,depth:null,output:null,shown:0}),p=X(()=>(Ko.includes(e.scores)?Ko:[...Ko,e.scores]).map(d=>[d,d]),[e.scores]),u=Vo.some(([d])=>d===e.weighting)?Vo:[...Vo,[e.weighting,e.weighting]];return h`<${I} title="Mechanism">
    <${B} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(d=>h`<label><input type="radio" name=${r} value=${d.name} checked=${d===l} onChange=${()=>c(d)} />
        <span>${d.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${Io} claim=${l?.claim} place=${o} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${St} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${d=>n({mask:d})} />
          <${os} text=${s.mask} /></div>
        <div><${St} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${d=>n({second:d,shown:d.trim()?e.shown:0})} /><${os} text=${s.second} /></div>
        <${cm} words=${t.response?.words??[]} />
      </div>
      <div><${nt} label="Scores" value=${e.scores} options=${p} onChange=${d=>n({scores:d})} />
        <${os} text=${s.scores} /></div>
      <div><${nt} label="Weights" value=${e.weighting} options=${u} onChange=${d=>n({weighting:d})} />
        <${os} text=${s.weighting} /></div>
    </div>
  <//>`}var os=({text:t})=>h`<div role="status" aria-live="polite">${t&&h`<p class="error patterns-wrong">${t}</p>`}</div>`;function cm({words:t}){return h`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>h`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function pm({devices:t,state:e,change:n}){let{grid:s}=e,o=r=>a=>n({grid:s.map((i,l)=>l===r?a:i),output:null});return h`<${I} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${Mt} label="tokens on a grid" value=${s!==null} onChange=${r=>n({grid:r?[64,64]:null,output:null})} />
      ${s?h`<${Xt} label="Rows" value=${s[0]} values=${Ol} onChange=${o(0)} />
          <${Xt} label="Columns" value=${s[1]} values=${Ol} onChange=${o(1)} />`:h`<${Xt} label="Tokens N" value=${e.tokens} values=${nm} onChange=${r=>n({tokens:r,output:null})} />`}
      <${Xt} label="Heads" value=${e.heads} values=${Pl} onChange=${r=>n({heads:r})} />
      <${Xt} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${r=>n({width:r})} />
      <${Xt} label="Batch" value=${e.batch} values=${Pl} onChange=${r=>n({batch:r})} />
      <${Xt} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${r=>n({block:r})} />
      <${nt} label="Machine" value=${e.device} options=${t.map(r=>[r,Ll[r]??r])}
        onChange=${r=>n({device:r})} />
      <${nt} label="Numbers" value=${e.dtype} options=${zl} onChange=${r=>n({dtype:r})} />
      <${Mt} label="include the backward pass" value=${e.backward} onChange=${r=>n({backward:r})} />
    </div>
  <//>`}var Dl={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:Me,View:om};function Ft({label:t,values:e,scale:n,limit:s,rowNames:o,columnNames:r,moved:a,chosen:i,onRow:l,digits:c=3,fixed:p=null}){ht();let u=s??Math.max(1e-12,...e.flat().map(m=>Math.abs(m??0))),d=m=>m===null?"−∞":p===null||Math.abs(m)>=1e3?z(m,c):m.toFixed(p).replace("-","−");return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${r&&h`<thead><tr>${o&&h`<td></td>`}${r.map(m=>h`<th scope="col"><span class="word" title=${m}>${m}</span></th>`)}</tr></thead>`}
    <tbody>${e.map((m,f)=>h`<tr class=${i===f?"chosen":""}>
        ${o&&h`<th scope="row">${l?h`<button class="quiet word" aria-pressed=${String(i===f)} title=${o[f]} onClick=${()=>l(f)}>${o[f]}</button>`:h`<span class="word" title=${o[f]}>${o[f]}</span>`}</th>`}
        ${m.map(($,g)=>h`<td><span class=${`value${a?a[f][g]?" moved":" still":""}`} title=${$===null?"hidden":String($)}
            style=${n&&$!==null?{background:Ot($,n,u),color:jn($,n,u)}:null}>${d($)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function sn({label:t,values:e,rowNames:n,chosen:s,onChange:o,onName:r,onRemoveRow:a,step:i=.1}){let l=(p,u,d)=>o(e.map((m,f)=>f===p?m.map(($,g)=>g===u?d:$):m)),c=(p,u)=>{let d=p.currentTarget.closest("table");a(u),requestAnimationFrame(()=>(d.querySelectorAll("button")[Math.min(u,e.length-2)]??d.querySelector("input"))?.focus())};return h`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    <tbody>${e.map((p,u)=>h`<tr class=${s===u?"chosen":""}>
        ${n&&h`<th scope="row"><input class="name" type="text" maxlength="40" spellcheck=${!1} aria-label=${`name of token ${u+1}`}
          value=${n[u]} onChange=${d=>r(u,d.target.value)} /></th>`}
        ${p.map((d,m)=>h`<td><${we} label=${`${t}, row ${u+1}, column ${m+1}`} value=${d} step=${i} onChange=${f=>l(u,m,f)} /></td>`)}
        ${a&&h`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${d=>c(d,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function jl({state:t,change:e,problem:n,names:s,edit:o,isSaved:r}){let a=Fl(n.x[0].length,t.axes),i=n.x.map((c,p)=>({id:`x${p}`,...a.at(c),name:s[p],kind:"token"}));return h`<${I} title="Tokens in the plane" note="Drag a token: its query, key and value follow.">
    <${Il} axes=${a} change=${e} />
    <${Wl} label="the tokens" points=${i} onMove=${r?()=>{}:(c,p,u)=>o({x:n.x.map((d,m)=>`x${m}`===c?a.put(d,p,u):d)})} xLabel=${`coordinate ${a.a+1}`}
      yLabel=${`coordinate ${a.b+1}`} height=${240} />
  <//>`}function ql({state:t,change:e,found:n,shown:s,names:o,isSaved:r}){let a=s.head,i=Fl(n.q[a][0].length,t.axes),l=r?s.noise:t.noise,c=(d,m,f)=>l?.on===d&&l.index===m?f.map(($,g)=>$+(l.noise[g]??0)):f,p=(d,m)=>m.map((f,$)=>{let g=c(d,$,f);return{id:`${d} ${$}`,...i.at(g),name:`${d} of ${o[$]}`,tag:`${d[0]} ${o[$]}`,kind:d,from:g===f?null:[f[i.a],f[i.b]]}}),u=(d,m,f)=>{let[$,g]=d.split(" "),x=n[$==="key"?"k":"q"][a][g],w=i.put(x,m,f).map((b,y)=>Number((b-x[y]).toFixed(6)));e({noise:{on:$,index:Number(g),noise:w},hard:!1})};return h`<${I} title="Noise on a query or a key" note="Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked.">
    <${Il} axes=${i} change=${e} />
    <${Wl} label="queries and keys" points=${[...p("query",n.q[a]),...p("key",n.k[a])]} onMove=${r?()=>{}:u}
      xLabel=${`coordinate ${i.a+1}`} yLabel=${`coordinate ${i.b+1}`} height=${260} />
    ${s.noise&&!r&&h`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function Fl(t,e){let n=[];for(let a=0;a<t;a++)for(let i=a+1;i<t;i++)n.push([`${a},${i}`,`${a+1} and ${i+1}`]);let[s,o]=(n.find(([a])=>a===e)?.[0]??n[0]?.[0]??"0,0").split(",").map(Number);return{pairs:n,a:s,b:o,at:a=>({x:a[s]??0,y:a[o]??0}),put:(a,i,l)=>a.map((c,p)=>p===s?i:p===o?l:c)}}var Il=({axes:{pairs:t,a:e,b:n},change:s})=>t.length>1&&h`<${nt} label="Coordinates" value=${`${e},${n}`} options=${t} onChange=${o=>s({axes:o})} />`;function Wl({label:t,points:e,onMove:n,onChoose:s,chosen:o,xLabel:r,yLabel:a,step:i=.1,height:l=330}){let[c,p]=Z(),[u,d]=j(null),m=R(null),f=1.18*Math.max(1,...e.flatMap(({x:N,y:v,from:O})=>[N,v,...O??[]].map(Math.abs))),$=u?.bound??f,g=Math.max(60,Math.min(p,560)/2),x=(Math.min(2*g,l)/2-8)/$,w=(N,v)=>Be().domain([-N/x,N/x]).range([(1-v)*N,(1+v)*N]),[b,y]=[w(g,1),w(l/2,-1)],S=N=>e.some(v=>v!==N&&b(v.x)>=b(N.x)&&b(v.x)-b(N.x)<56&&Math.abs(y(v.y)-y(N.y))<15&&v.x!==N.x),A=N=>Number((Math.round(N/(i/2))*(i/2)).toFixed(4)),k=N=>{if(!u)return;let v=m.current.getBoundingClientRect();n(u.id,A(b.invert(N.clientX-v.left)),A(y.invert(N.clientY-v.top)))},T=(N,v)=>{let O={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[N.key];if(O){N.preventDefault();let P=N.shiftKey?10:1;n(v.id,Number((v.x+P*O[0]).toFixed(4)),Number((v.y+P*O[1]).toFixed(4)))}else(N.key==="Enter"||N.key===" ")&&(N.preventDefault(),s?.(v.id))};return h`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*g} height=${l} role="group" aria-label=${t} onPointerMove=${k}
      onPointerUp=${()=>d(null)} onPointerCancel=${()=>d(null)}>
      <g class="axes"><line x1="8" x2=${2*g-8} y1=${y(0)} y2=${y(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(N=>h`<text x=${b(N)} y=${y(0)+15} text-anchor="middle">${z(N)}</text>`)}
        ${y.ticks(5).filter(Boolean).map(N=>h`<text x=${b(0)-6} y=${y(N)} dy="0.35em" text-anchor="end">${z(N)}</text>`)}
        <text x=${2*g-8} y=${y(0)-7} text-anchor="end">${r}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(N=>N.from&&h`<g class="came"><circle cx=${b(N.from[0])} cy=${y(N.from[1])} r="5" /><line x1=${b(N.from[0])} y1=${y(N.from[1])} x2=${b(N.x)} y2=${y(N.y)} /></g>`)}
      ${e.map(N=>h`<g class=${`point ${N.kind}${o===N.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${N.name} at ${z(N.x)}, ${z(N.y)}; arrow keys move it`} data-point=${N.id}
        transform=${`translate(${b(N.x)},${y(N.y)})`} onKeyDown=${v=>T(v,N)}
        onPointerDown=${v=>{v.preventDefault(),v.currentTarget.focus(),m.current.setPointerCapture(v.pointerId),d({id:N.id,bound:$}),s?.(N.id)}}>
        ${N.kind==="key"?h`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:h`<circle r="8" />`}
        <text x=${S(N)?-12:12} y="-8" text-anchor=${S(N)?"end":"start"}>${N.tag??N.name}</text>
      </g>`)}
    </svg>
  </div>`}function Bl({state:t,change:e,found:n,shown:s,names:o,isSaved:r}){let a=s.hard?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query, or move it with the arrow keys: this panel shows what changes.";return h`<div class="columns">
    ${n.jacobian&&h`<${um} found=${n} shown=${s} names=${o} />`}
    <${ql} state=${t} change=${e} found=${n} shown=${s} names=${o} isSaved=${r} />
    ${n.moved?h`<${hm} found=${n} shown=${s} names=${o} change=${r?null:e} />`:h`<${I} class="wide playground-silence" title="What the noise changes" note=${a} />`}
  </div>`}function um({found:t,shown:e,names:n}){let s=Math.sqrt(t.jacobian.flat().reduce((o,r)=>o+r*r,0));return h`<${I} title=${`How the weights of “${n[e.query]}” respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Ft} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${n} columnNames=${n} />
    <p class="note">Frobenius norm <b data-norm>${z(s,4)}</b>, at most 1 − Σa².</p>
  <//>`}function hm({found:t,shown:e,names:n,change:s}){let{moved:o}=t,r=e.x.length,a=o.moved.flat(),i=a.filter(Boolean).length,l=o.moved.filter(f=>f.some(Boolean)).length,{on:c,index:p,noise:u}=e.noise,d=Math.max(...o.predicted.flatMap((f,$)=>f.map((g,x)=>Math.abs(g-o.weights[$][x])))),m=[["Weights after it","weights after the noise",{values:o.weights,scale:"weight",limit:1,moved:o.moved,columnNames:n,fixed:3}],["Their change","change of the weights",{values:o.change,scale:"signed",moved:o.moved,columnNames:n}],["Outputs after it","outputs after the noise",{values:o.outputs,moved:o.outputs.map((f,$)=>f.map(()=>o.outputs_moved[$]))}],["Added to the logits","added to the logits",{values:o.shift,scale:"signed",columnNames:n}],["To first order","change to first order",{values:o.first_order,scale:"signed",columnNames:n}]];return h`<${I} class="wide" title=${`Noise on the ${c} of “${n[p]}”`}
    note=${c==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${s&&h`<button onClick=${()=>s({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(f=>z(f)).join(", ")}): <b>${i} of ${a.length}</b> weights moved, of <b>${l} of ${r}</b> queries; <b>${o.outputs_moved.filter(Boolean).length} of ${r}</b> outputs. Σ(a′ − a)² = ${z(o.energy)}.</p>
    <div class="row playground-results">
      ${m.map(([f,$,g])=>h`<div><h3>${f}</h3><${Ft} label=${$} rowNames=${n} ...${g} /></div>`)}
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${z(d)}.</p>
  <//>`}var Go=[["tokens","Tokens"],["qkv","q, k, v"],["logits","q·k·β"],["softmax","Softmax"],["mix","Mix"]],dm=12,Gt=t=>`(${t.map(e=>z(e)).join(", ")})`,mm=t=>`${(100*t).toFixed(t>=.9995||t<5e-4?0:1)} %`,fm={tokens:({shown:t,names:e,at:n})=>h`Each word is a row of numbers: ${e[n]} is x = ${Gt(t.x[n])}.`,qkv:({found:t,h:e,names:n,at:s})=>h`Three matrices make of ${n[s]} a <b>query</b>, what it looks for, q = ${Gt(t.q[e][s])}; a <b>key</b>, what it is
    found by, k = ${Gt(t.k[e][s])}; a <b>value</b>, what it gives, v = ${Gt(t.v[e][s])}.`,logits:({found:t,shown:e,h:n,names:s,at:o})=>{let[r]=rs(t.logits[n][o]),a=t.logits[n][o].filter(i=>i===null).length;return r===void 0?h`The mask hides every word from ${s[o]}.`:h`The query of ${s[o]} meets every key: β·q·k = ${z(t.beta,4)} · ${Gt(t.q[n][o])} · ${Gt(t.k[n][r])} = <b>${z(t.logits[n][o][r])}</b> for ${s[r]}, the largest${a?`; the mask hides ${a} of ${e.x.length}`:""}.`},softmax:({found:t,shown:e,h:n,names:s,at:o})=>{let[r]=rs(t.logits[n][o]);if(r===void 0)return h`The mask hides every word from ${s[o]}: its weights are 0.`;let a=e.hard?"At β → ∞ the largest logit takes all":h`e<sup>${z(t.logits[n][o][r])}</sup> over the sum of all e<sup>logit</sup> is${" "}
      ${t.weights[n][o][r].toFixed(3)}; so the weights add up to 1`;return h`${a}: ${s[o]} looks at ${Hl(t.weights[n][o],s)}.`},mix:({found:t,h:e,names:n,at:s})=>{let o=rs(t.weights[e][s]).slice(0,2).map(r=>h`${t.weights[e][s][r].toFixed(3)}·v(${n[r]}) + `);return h`The output of ${n[s]} is the values, mixed by its weights: ${o}… = <b>${Gt(t.outputs[e][s])}</b>${t.merged?h`; W_O makes of all heads y = ${Gt(t.merged[s])}`:""}.`},"":({found:t,h:e,names:n,at:s})=>h`Every word looks at the others: <b>${n[s]}</b> looks at ${Hl(t.weights[e][s],n)}, and takes that much of
    what they hold. Choose a word, or a step.`},rs=t=>[...t.keys()].filter(e=>t[e]!==null).sort((e,n)=>t[n]-t[e]),Hl=(t,e)=>rs(t).slice(0,3).map((n,s)=>h`${s?", ":""}${e[n]} <b>${mm(t[n])}</b>`);function Ul({found:t,shown:e,problem:n,names:s,at:o,step:r,change:a,choose:i,edit:l,isSaved:c}){let p=e.head,u={found:t,shown:e,h:p,names:s,at:o},d={rowNames:s,chosen:o,onRow:i},m=(g,x,w)=>h`<section class=${`stage${r===g?" lit":""}`} data-stage=${g}><h3>${x}</h3>${w}</section>`,f=g=>g[0].map((x,w)=>`${w+1}`),$=e.hard?`q·k/√${t.q[p][0].length}`:"β·q·k";return h`<${I} class="playground-flow" title=${e.heads.length>1?`Head ${p+1}`:"The head"} actions=${h`<${$m} step=${r} change=${a} />`}>
    <p class="playground-told" role="status" data-told=${r}>${fm[r](u)}</p>
    <div class="flow">
      ${m("tokens","X, the tokens",h`<${gm} problem=${n} at=${o} edit=${l} isSaved=${c} />`)}
      ${m("qkv","q, k, v",h`
        ${[["q","Q = X·W_Q","queries"],["k","K = X·W_K","keys"],["v","V = X·W_V","values"]].map(([g,x,w])=>h`<h4>${x}</h4>
          <${Ft} label=${w} values=${t[g][p]} ...${g==="q"?d:{rowNames:s}} fixed=${2} />`)}`)}
      ${m("logits",`Logits ${$}`,h`<${Ft} label="logits" values=${t.logits[p]} scale="signed" columnNames=${s} fixed=${2} ...${d} />
        <p class="hint">query ↓ asks, key → is asked</p>`)}
      ${m("softmax","Weights, softmax",h`<${Ft} label="weights" values=${t.weights[p]} scale="weight" limit=${1} columnNames=${s} fixed=${3} ...${d} />
        <p class="hint">each row adds up to 1</p>`)}
      ${m("mix","Outputs A·V",h`<${Ft} label="outputs" values=${t.outputs[p]} fixed=${2} columnNames=${f(t.outputs[p])} ...${d} />`)}
      ${t.merged&&m("mix","Y, all heads · W_O",h`<${Ft} label="output" values=${t.merged} fixed=${2} columnNames=${f(t.merged)} ...${d} />`)}
    </div>
  <//>`}function $m({step:t,change:e}){return h`<ol class="playground-steps" aria-label="Steps">${Go.map(([n,s],o)=>h`<li><button aria-pressed=${String(t===n)}
    onClick=${()=>e({step:t===n?"":n})}>${o+1} ${s}</button></li>`)}</ol>`}function gm({problem:{x:t,tokens:e},at:n,edit:s,isSaved:o}){let r=t.map((l,c)=>e?.[c]??`token ${c+1}`),a=(l,c)=>l.filter((p,u)=>u!==c),i=()=>s({x:[...t,t[0].map(()=>0)],tokens:[...r,`token ${t.length+1}`]});return h`<fieldset class="group" disabled=${o}>
    <${sn} label="X" values=${t} rowNames=${r} chosen=${n} onChange=${l=>s({x:l})}
      onName=${(l,c)=>s({tokens:r.map((p,u)=>u===l&&c.trim()||p)})}
      onRemoveRow=${t.length>1?l=>s({x:a(t,l),tokens:a(r,l)}):null} />
    <${wt} onClick=${i} off=${t.length>=dm}>Add a token<//>
    <p class="hint">Type, turn with the arrow keys, or drag a number sideways.</p>
  </fieldset>`}var Xl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:null,step:"",deeper:!1,noise:null,axes:"0,1"},Kl=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],xm=4,Se=100,Gl=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),ym=t=>t<=0?0:Math.max(1,Math.min(Se-1,Math.round(1+98*(Math.log10(t)+2)/4))),Jl=t=>t===Se?{hard:!0,beta:null}:{hard:!1,beta:Gl(t)};function Vl(t,e,n){let s=(a,i)=>Math.max(0,Math.min(Math.round(a)||0,i-1)),o=Yl(e.noise)&&e.noise.noise.length===t.heads[0].q[0].length&&e.noise.index<t.x.length,r=t.tokens?.length===t.x.length?t.tokens:null;return{x:t.x,tokens:r,heads:t.heads,out:t.out,beta:e.beta===null||e.hard?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:s(e.head,t.heads.length),query:Ql(e)?s(n,t.x.length):null,noise:o&&!e.hard?e.noise:null}}var bm=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]),Yl=t=>Array.isArray(t?.noise)&&Number.isInteger(t.index),Ql=t=>t.deeper||Yl(t.noise);function wm({ask:t,state:e,change:n,place:s}){let o=R(null),r=Q(t,"example",{}),a=bm(e.problem)?e.problem:r.response,i=Number.isFinite(e.query)?e.query:r.response?.query??0,l=a&&Vl(a,e,i),c=bt(t,"playground",l),p=c.response;if(!a||!p)return h`<${B} error=${r.error??c.error} waiting=${!0} />`;let u=JSON.parse(c.of),d=s==="file",m=u.x.map((y,S)=>u.tokens?.[S]??`token ${S+1}`),f=u.query??Math.max(0,Math.min(Math.round(i)||0,u.x.length-1)),$=y=>n({problem:{x:a.x,tokens:a.tokens,heads:a.heads,out:a.out,...y}}),g=()=>[["example",{}],...Array.from({length:Se+1},(y,S)=>["playground",Vl(a,{...e,...Jl(S)},i)]),["playground",l]],x=Go.some(([y])=>y===e.step)?e.step:"",w=Ql(e),b={state:e,change:n,found:p,shown:u,problem:a,names:m,edit:$,isSaved:d};return h`<div class="playground" ref=${o}>
    <${I} class="playground-top">
      <${vm} state=${e} change=${n} beta=${p.beta} problem=${a} edit=${$} isSaved=${d} />
      <${ot} name="playground" of=${o} numbers=${()=>km(p,u)} saves=${g} ask=${t} view="playground" state=${e} place=${s} />
      <${B} error=${c.error} />
    <//>
    <${Ul} ...${b} at=${f} step=${x} choose=${d&&w?null:y=>n({query:y})} />
    <div class="columns">
      <${_m} problem=${a} head=${l.head} edit=${$} isSaved=${d} />
      <${jl} ...${b} />
    </div>
    <div data-unpictured><button class="playground-deeper" aria-expanded=${String(w)} disabled=${d}
      onClick=${()=>n(w?{deeper:!1,noise:null}:{deeper:!0})}>${w?"▾":"▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${w&&h`<${Bl} ...${b} />`}
  </div>`}function vm({state:t,change:e,beta:n,problem:s,edit:o,isSaved:r}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?Se:ym(i),c=s.heads.length,p=!Kl.some(([$])=>$===t.mask),[u,d]=j(p),m=()=>{let[$,g]=[s.heads[0].q.length,s.heads[0].q[0].length],x=(y,S)=>Array.from({length:y},(A,k)=>Array.from({length:S},(T,N)=>k%S===N?1:0)),w=s.heads[0].v[0].length,b=s.out&&[...s.out,...x(w,s.out[0].length)];o({heads:[...s.heads,{q:x($,g),k:x($,g),v:x($,w)}],out:b}),e({head:c})},f=()=>{let $=s.heads[0].v[0].length,g=Math.min(t.head,c-1);o({heads:s.heads.filter((x,w)=>w!==g),out:s.out?.filter((x,w)=>Math.floor(w/$)!==g)??null}),e({head:Math.max(0,g-1)})};return h`<div class="playground-controls">
    <div class="playground-beta">
      <${ct} label="β" min="0" max=${Se} step="1" value=${l} onChange=${$=>e(Jl($))}
        says=${$=>$===Se?"hard":$===l?z(i,4):z(Gl($))} />
      <${wt} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${r||t.beta===null&&!t.hard}>back to 1/√${a}<//>
    </div>
    <p class="hint">${r?"Saved from regard: the slider and the steps work; run regard explore to change anything else.":"β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest."}</p>
    <fieldset class="group row" disabled=${r}>
      <${pt} label="Mask" value=${u?"custom":t.mask} options=${[...Kl,["custom","write one"]]}
        onChange=${$=>(d($==="custom"),$!=="custom"&&e({mask:$}))} />
      ${u&&h`<${St} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${$=>e({mask:$})} />`}
      <span class="row playground-heads"><${pt} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map(($,g)=>[g,g+1])}
        onChange=${$=>e({head:$,noise:null})} />
        <${wt} onClick=${m} off=${c>=xm} aria-label="add a head">+<//><${wt} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
      <button onClick=${()=>(d(!1),e({...Xl}))}>Reset to the worked example</button>
    </fieldset>
  </div>`}function _m({problem:t,head:e,edit:n,isSaved:s}){let{heads:o,out:r}=t,a=i=>l=>n({heads:o.map((c,p)=>p===e?{...c,[i]:l}:c)});return h`<${I} title="Matrices you can change" note="W_Q, W_K and W_V belong to the head; W_O mixes the outputs of all heads.">
    <fieldset class="row playground-results group" disabled=${s}>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([i,l])=>h`<div><h3>${l}${o.length>1?` of head ${e+1}`:""}</h3><${sn} label=${l} values=${o[e][i]} onChange=${a(i)} /></div>`)}
      ${r&&h`<div><h3>W_O</h3><${sn} label="W_O" values=${r} onChange=${i=>n({out:i})} /></div>`}
    </fieldset>
  <//>`}function km(t,e){let n=r=>Array.isArray(r)?r.flatMap(n):[r],s=r=>Array.isArray(r)?[r.length,...s(r[0])]:[],o={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs};return t.jacobian&&(o.jacobian=t.jacobian),t.merged&&(o.merged=t.merged),t.moved&&Object.assign(o,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(o).map(([r,a])=>[r,{shape:s(a),data:n(a)}]))}var Zl={name:"playground",title:"Playground",about:"One head of attention, from the words to what they become: change any number.",state:Xl,View:wm};var tc=["loss","rate","gradient"],Jo=36,Mm=800;function as(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(o=>[...t.get(o)??[]].map(([r,a])=>({run:o,name:e.length>1?`${o} · ${r}`:r,...a}))).filter(o=>s.every(r=>o.name.toLowerCase().includes(r)))}function oc({curves:t,names:e,state:n,change:s}){let o=Am(as(t,e,""),Cm(e)),r=new Set(as(t,e,n.only).map(m=>m.name)),a=o.filter(m=>r.has(m.name)),i=a.slice(0,Jo),l=[...new Set(o.flatMap(m=>Object.keys(m.columns)))],c=tc.filter(m=>l.includes(m)),p=l.filter(m=>m!=="step"&&!tc.includes(m)),u=c.includes(n.metric)?n.metric:c[0],d=p.includes(n.evaluated)?n.evaluated:p[0];return c.length?h`<div>
    <div class="row runs-controls" data-unpictured>
      <${Mt} label="Logarithmic" value=${n.log} onChange=${m=>s({log:m})} />
      <${ct} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${m=>s({smoothing:m})}
        says=${m=>m?z(m,2):"none"} />
      ${o.length>3&&h`<${St} label=${`Only curves with these words, of ${o.length}`} value=${n.only} live max=${100}
        placeholder=${Nm(o)} onChange=${m=>s({only:m})} />`}
    </div>
    ${a.length>Jo&&h`<p class="hint">The first ${Jo} of ${a.length} curves are drawn; filter them above.</p>`}
    ${!a.length&&h`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${Sm} shown=${i} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${pt} label=${h`<span class="unseen">Number at each step</span>`} value=${u} options=${ec(c)}
              onChange=${m=>s({metric:m})} /></div></div>
          <${jt} series=${sc(i,u,n.smoothing)} label=${`${u} by step`} xLabel="step"
            yLabel=${n.smoothing?`${u}, smoothed`:u} logY=${n.log} height=${270} says=${nc} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${d&&h`<${nt} label="Number at evaluations" hidden value=${d} options=${ec(p)}
              onChange=${m=>s({evaluated:m})} />`}</div></div>
          ${d?h`<${jt} series=${sc(i,d,0)} label=${`${d} by step`} xLabel="step" yLabel=${d}
                height=${270} says=${nc} />`:h`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:h`<p class="hint">No step has been recorded yet.</p>`}function Sm({shown:t}){return t.length<2?null:h`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map(e=>h`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${e.dash} /></svg>${e.name}</li>`)}
  </ul>`}var ec=t=>t.map(e=>[e,e]),nc=(t,e=4)=>z(t,e);function Nm(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function Cm(t){let e=R(new Map);for(let n of e.current.keys())t.includes(n)||e.current.delete(n);for(let n of t){let s=[...e.current.values()];e.current.has(n)||e.current.set(n,Array.from({length:t.length},(o,r)=>r).find(o=>!s.includes(o))??s.length)}return e.current}function Am(t,e){let n=o=>t.filter(({run:r})=>r===o.run).indexOf(o),s=e.size===1||e.size>6||t.some(o=>n(o)>5);return t.map((o,r)=>({...o,class:Et[(s?r+Math.floor(r/6):e.get(o.run))%6],dash:Ke[(s?r:n(o))%6]}))}function sc(t,e,n){return t.map(({name:s,columns:o,class:r,dash:a})=>{let i=(o.step??[]).map((c,p)=>[c,o[e]?.[p]??null]).filter(([,c])=>c!==null);n&&(i=Tm(i,n));let l=Math.ceil(i.length/Mm);return i=i.filter((c,p)=>p%l===0||p===i.length-1),{name:s,x:i.map(([c])=>c),y:i.map(([,c])=>c),class:r,dash:a}})}function Tm(t,e){let[n,s]=[0,0];return t.map(([o,r])=>(n=e*n+r,s=e*s+1,[o,n/s]))}function rc(t){let e=[...new Set(t.flatMap(o=>Object.keys(o.columns)))],n=t.flatMap(({name:o,lines:r,columns:a},i)=>Array.from({length:r},(l,c)=>[o,[i,...e.map(p=>a[p]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,o])=>o),rows:n.map(([o])=>o),columns:s,axes:["training","number"]}}}var ac=1e3,Em=3e3,Om=30;function ic(t,e){W(()=>{let n=new AbortController,[s,o,r]=[0,!1,null],a=async()=>{clearTimeout(s),!(o||n.signal.aborted)&&(o=!0,r=await t(n.signal),o=!1,r!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,r)))},i=()=>!document.hidden&&r!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function is(t,e){let[n,s]=j({response:null,error:null}),o=R("");return ic(async r=>{let a=null;try{a=await t("runs",{},{signal:r});let i=JSON.stringify(a);i!==o.current&&s({response:a,error:null}),o.current=i}catch(i){if(Nt(i))return null;o.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?ac:Em},[t,e]),n}function lc(t,e,n){let s=R(new Map),[o,r]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return ic(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let p of e){let u=s.current.get(p.name);if(!(u&&u.state===p.state&&p.state!=="running"))try{let[d,m]=await Pm(t,p.name,u?.trainings??new Map,i,n);s.current.set(p.name,{state:p.state,trainings:d}),l||=m||!u}catch(d){if(Nt(d))return null;c=d.message}}return(l||c)&&r({curves:new Map([...s.current].map(([p,u])=>[p,u.trainings])),error:c}),n!=="file"&&e.some(p=>p.state==="running")?ac:null},[t,a,n]),o}async function Pm(t,e,n,s,o){let r=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...r].map(([u,{lines:d,mark:m}])=>[u,{lines:d,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),p=new Set(c.trainings.map(u=>u.name));for(let u of r.keys())p.has(u)||(r.delete(u),a=!0);for(let{name:u,start:d,lines:m,mark:f,columns:$}of c.trainings){let g=r.get(u);g&&d===g.lines&&m===g.lines||(a=!0,r.set(u,{lines:m,mark:f,columns:Lm(g?.columns??{},d,$,m)}))}i=c.more&&o!=="file"}return[r,a]}function Lm(t,e,n,s){let o=r=>new Array(r).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(r=>[r,[...t[r]?.slice(0,e)??o(e),...n[r]??o(s-e)]]))}function cc(t){let e=R(new Map);for(let n of t)for(let{name:s,step:o,written:r}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===o)continue;let c=l&&o<l.step?[]:i.filter(p=>r-p.written<Om);e.current.set(a,[...c,{step:o,written:r}])}return(n,s)=>{let o=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[r,a]=[o[0],o.at(-1)];return o.length<2||a.written<=r.written?null:(a.step-r.step)/(a.written-r.written)}}var Ne=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function Qo({text:t}){let e=R(null),[n,s]=j("");return h`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function pc({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?Ne(t):null,s=l=>l.steps!==null&&l.step>=l.steps,o=l=>s(l)||t.state==="running"&&l!==n,r=t.trainings.filter(o),a=r.length>4,i=t.trainings.filter(l=>!a||!r.includes(l)).sort((l,c)=>l.written-c.written);return h`<div class="runs-progress">
    ${a&&h`<p class="note">${r.length} trainings are done.</p>`}
    ${i.map(l=>h`<${zm} key=${l.name} one=${l} speed=${t.state==="running"&&!o(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&h`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&h`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&h`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Qo} text=${t.resume} />`}
  </div>`}var Yo=t=>t.toLocaleString("en");function zm({one:{name:t,step:e,steps:n},speed:s}){let o=s&&n?(n-e)/s:null,r=[n?`step ${Yo(e)} of ${Yo(n)}`:`step ${Yo(e)}`];return s&&r.push(`${z(s,2)} steps/s`),o!==null&&r.push(`${Rm(o)} left`),h`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&h`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${r.join(" · ")}</span>
  </div>`}function Rm(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${z(t/3600,2)} h`}function uc({ask:t,run:e,text:n}){let s=R(null);return W(()=>{let o=new AbortController,r=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))Dm(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=jm(a);t("figure",{run:e,name:a.dataset.figure},{signal:o.signal}).then(({header:l,data:c,offset:p})=>{r.push(URL.createObjectURL(new Blob([new Uint8Array(c,p)],{type:l.kind}))),a.src=r.at(-1)},l=>Nt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{o.abort(),r.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),h`<div class="runs-report" ref=${s}></div>`}function Dm(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function jm(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var hc=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function dc({numbers:t}){let e=Object.keys(t);return h`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>h`<tr><th scope="row">${n}</th><td class="number"><${Rt} value=${t[n]} digits=${4} /></td></tr>`)}
    </tbody></table></div></details>`}function mc({settings:t}){let e=t.filter(n=>n.own!==null).length;return h`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:o})=>h`<tr class=${o===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${o===null?"":h`<code>${o}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var qm={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function Fm({ask:t,state:e,change:n,place:s}){let o={...e,smoothing:ho(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:r,error:a}=is(t,s),i=r?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,y)=>y.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),p=R(null);p.current??=[...l,...c][0]?.name??null;let u=i.find(b=>b.name===(o.run??p.current)),d=i.filter(b=>b!==u&&o.compared.includes(b.name)),m=u?[u,...d]:[],f=lc(t,m,s),$=cc(i),g=R([o.run,...o.compared]).current,x=b=>s==="file"?b.filter(y=>g.includes(y.name)):b,w=(b,y)=>n({compared:[...o.compared.filter(S=>S!==b),...y?[b]:[]]});return r?h`<div class="sided runs">
    <div class="panel runs-side">
      <${B} error=${a} />
      ${!l.length&&s!=="file"&&h`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${ae} place=${s} what="see other runs" />
      <${Um} groups=${[["Yours",x(l)],["Comes with regard",x(c)]]} unreadable=${s==="file"?[]:r.unreadable}
        chosen=${u?.name} compared=${o.compared} onChoose=${b=>n({run:b})} onCompare=${w} />
    </div>
    ${u?h`<${Im} key=${`${u.name} ${u.state} ${u.started}`} ...${{ask:t,state:o,change:n,place:s,run:u,shown:m,found:f,speed:$}} />`:h`<${I} title=${o.run}><p>This run no longer exists.</p><//>`}
  </div>`:h`<${B} error=${a} waiting lines=${12}>reading the runs …<//>`}function Im({ask:t,state:e,change:n,place:s,run:o,shown:r,found:a,speed:i}){let l=R(null),{response:c,error:p,waiting:u}=Q(t,"report",{run:o.name}),d=r.map(f=>f.name),m=()=>[["runs",{}],...d.map(f=>["curves",{run:f,after:{}}]),...d.map(f=>["report",{run:f}]),...hc(c?.html).map(f=>["figure",{run:o.name,name:f}])];return h`<div class="runs-detail" ref=${l}>
    <${I} title=${h`<span class="runs-title">${o.name}</span> <${Zo} state=${o.state} />`}
      actions=${h`<${ot} name=${`runs-${o.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:o.name}} place=${s}
        numbers=${()=>rc(as(a.curves,d,e.only))} saves=${m} />`}>
      ${o.headline&&h`<p class="runs-result">${o.headline}</p>`}
      ${o.is_smoke&&h`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${o.is_shipped?"Comes with regard; made with":h`Recipe ${o.recipe}, started ${Bm(o.started)} with`}</p>
      <${Qo} text=${o.command} />
      ${s==="page"&&h`<${Wm} ask=${t} run=${o} />`}
      <${pc} run=${o} speed=${i} />
    <//>
    <section class="panel">
      <${B} error=${a.error} waiting=${!a.curves.has(o.name)} lines=${8}>reading the curves …<//>
      ${a.curves.has(o.name)&&h`<${oc} curves=${a.curves} names=${d} state=${e} change=${n} />`}
    </section>
    <${I} title="Report">
      <${B} error=${p} waiting=${u} lines=${6}>reading the report …<//>
      ${c?.html&&h`<${uc} ask=${t} run=${o.name} text=${c.html} />`}
      ${c&&!c.html&&h`<p class="hint">${o.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&h`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&h`<${dc} numbers=${c.numbers} />`}
      <${mc} settings=${c.settings} />
    </section>`}
  </div>`}function Wm({ask:t,run:e}){let n=Q(t,"models",{}).response?.models??[],s=Q(t,"recorded",{}).response?.trainings??[],o=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,r=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!r&&!a?null:h`<p class="note runs-elsewhere" data-unpictured>
    ${r&&h`<a href=${o("maps",{model:r.name})}>Look at its attention maps</a>`}${r&&a&&" · "}
    ${a&&h`<a href=${o("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function Bm(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var fc={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:qm,View:Fm},Hm={done:h`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:h`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:h`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:h`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},Zo=({state:t})=>h`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${Hm[t]}</svg>${t}</span>`;function Um({groups:t,unreadable:e,chosen:n,compared:s,onChoose:o,onCompare:r}){let a=R(null);return W(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],p=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;p>0&&(c.scrollTop+=p+12)},[n]),h`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],p=c.indexOf(l.target),u=p<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:Kt(l,p,c.length,1);u!==null&&c[u].focus()}}>
    ${t.map(([l,c])=>c.length>0&&h`<section><h2>${l}</h2><ul>
      ${c.map(p=>h`<li key=${p.name} class=${p.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${p.name===n?"true":null} onClick=${()=>o(p.name)}>
          <span class="runs-name">${p.name}</span><${Zo} state=${p.state} />
          <span class="runs-headline">${p.headline??Km(p)}</span>
        </button>
        ${p.name!==n&&h`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(p.name)} onChange=${u=>r(p.name,u.target.checked)} />
          compare<span class="unseen"> ${p.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&h`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>h`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${Zo} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function Km(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=Ne(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var $c=2,Vm=[["Learn","playground","The playground: every number of attention, in five steps","claims","Claims: check what you know, and get the counterexample"],["Inspect","maps","Maps: what each head of a model looks at in your text","heads","Heads: gaussian heads, from training to convolution"],["Design","patterns","Patterns: who may see whom, what it costs, how far it reaches",null,null]];function gc({ask:t,place:e}){return h`<div class="start-doors">
    ${Vm.map(([n,s,o,r,a])=>h`<section class="panel start-door"><h2>${n}</h2>
      <p><a href=${`#${s}`}>${o}</a></p>${r&&h`<p><a href=${`#${r}`}>${a}</a></p>`}</section>`)}
    <${Xm} ask=${t} place=${e} />
  </div>`}function Xm({ask:t,place:e}){let{response:n,error:s}=is(t,e),o=(n?.runs??[]).filter(r=>!r.is_shipped).sort((r,a)=>(a.state==="running")-(r.state==="running")||a.started.localeCompare(r.started));return h`<section class="panel start-door"><h2>Your runs</h2>
    ${s&&h`<p class="error">${s}</p>`}
    ${n&&!o.length&&h`<p>None yet: <code>regard train reversal</code> trains a model that you can watch here.</p>`}
    ${o.slice(0,$c).map(r=>h`<${Gm} run=${r} />`)}
    ${o.length>0&&h`<p><a href="#runs">${o.length>$c?`All ${o.length} runs`:"Curves and reports"}</a></p>`}
  </section>`}function Gm({run:t}){let{step:e,steps:n}=t.trainings.length?Ne(t):{step:0,steps:null},s=`${e.toLocaleString("en")}${n?` of ${n.toLocaleString("en")}`:""}`;return h`<p class="start-run"><a href=${`#runs?${encodeURIComponent(JSON.stringify({run:t.name}))}`}>${t.name}</a>
    ${t.state==="running"&&n?h`<progress max=${n} value=${e} aria-label=${`${t.name}: step ${s}`}></progress>`:null}
    <small>${t.state==="running"?`step ${s}`:t.state}</small></p>`}var Jm=.015,xc=3,tr=t=>t.trim()||(t?"␣":"start"),Ce=(t,e)=>Array.from(t.keys()).sort((n,s)=>t[s]-t[n]).slice(0,e).filter((n,s)=>!s||t[n]>=.005);function yc({read:t,row:e,query:n,pinned:s,onPoint:o,onPin:r}){ht();let[a,i]=Z(),[l,c]=j([]),p=R(null);at(()=>{let f=[...p.current.children].map(({offsetLeft:$,offsetTop:g,offsetWidth:x,offsetHeight:w})=>({x:$+x/2,y:g,w:x,h:w}));c(f)},[t,i]);let u=l.length===t.pieces.length,d=f=>{let $=Kt(f,n,t.pieces.length);$!==null&&p.current.children[$].focus()},m=f=>f===n?`${t.names[f]} looks at ${Ce(e,xc).map($=>`${t.names[$]} ${lt(e[$])}`).join(", ")}`:t.names[f];return h`<div class="start-sentence" ref=${a} onPointerLeave=${()=>o(null)}>
    ${u&&h`<svg class="start-arcs" aria-hidden="true">
      ${Array.from(e,(f,$)=>f>=Jm&&h`<path key=${$} class="start-arc" d=${Zm(l[n],l[$])}
        stroke-width=${1+8*f} stroke-opacity=${.25+.75*Math.sqrt(f)} />`)}
    </svg>`}
    <div class="start-tokens" ref=${p} role="group" aria-label="The tokens of the sentence" onKeyDown=${d}>
      ${t.pieces.map((f,$)=>h`<button key=${$} class=${Qm(f,$,n)} tabindex=${$===n?0:-1}
        aria-pressed=${String($===s)} aria-label=${m($)} data-token=${$} data-pictured
        style=${$<=n?{background:Ot(e[$],"weight",1),color:jn(e[$],"weight",1)}:null}
        onPointerEnter=${()=>o($)} onFocus=${()=>o($)} onClick=${()=>r($===s?null:$)}>
        <span>${t.names[$]}</span><small>${$<=n?Ym(e[$]):" "}</small></button>`)}
    </div>
    ${u&&h`<p class="start-told" style=${{left:`${Math.max(120,Math.min(l[n].x,i-120))}px`,top:`${l[n].y+l[n].h+8}px`}}>
      ${Ce(e,xc).map(f=>h`<span><b>${lt(e[f])}</b> ${f===n?"itself":t.names[f]}</span>`)}</p>`}
  </div>`}var Ym=t=>t<.01?"< 1 %":`${Math.round(100*t)} %`,Qm=(t,e,n)=>`start-token${e===n?" is-query":""}${e>0&&/^\p{L}/u.test(t)&&e>1?" goes-on":""}${e>n?" comes-later":""}`;function Zm(t,e){if(t===e)return`M${t.x-7},${t.y} C${t.x-20},${t.y-30} ${t.x+20},${t.y-30} ${t.x+7},${t.y}`;if(Math.abs(t.y-e.y)>4){let[s,o]=t.y>e.y?[t.y,e.y+e.h]:[t.y+t.h,e.y],r=(s+o)/2;return`M${t.x},${s} C${t.x},${r} ${e.x},${r} ${e.x},${o}`}let n=Math.min(74,16+.14*Math.abs(t.x-e.x));return`M${t.x},${t.y} C${t.x},${t.y-1.33*n} ${e.x},${e.y-1.33*n} ${e.x},${e.y}`}function tf({names:t,width:e,head_width:n},s,o){let[r,a]=Ce(s,2),i=a===void 0||!(s[a]>0);return[["tokens","Tokens","Text is cut into tokens. Each is a vector.",h`“${t[o]}”: ${e} numbers`],["qkv","q, k, v","It asks with a query, offers a key, gives a value.",h`${n} numbers each`],["logits","q · k · β","Its query meets every key. The product is a score.",i?h`one key to meet`:h`“${t[r]}” beats “${t[a]}” by ${z(Math.log(s[r]/s[a]),2)}`],["softmax","softmax","Scores become weights, which sum to 100 %.",i?h`${lt(s[r])}`:h`${lt(s[r])}, ${lt(s[a])}, …`],["mix","mix","It takes the values, mixed by these weights.",i?h`1 · v(${t[r]})`:h`${z(s[r],2)} · v(${t[r]}) + ${z(s[a],2)} · v(${t[a]}) + …`]]}function bc({read:t,row:e,query:n,place:s}){return h`<ol class="start-steps" aria-label="Attention in five steps">
    ${tf(t,e,n).map(([o,r,a,i],l)=>{let c=h`<span class="start-number" aria-hidden="true">${l+1}</span><b>${r}</b><span class="start-says">${a}</span><span class="start-now">${i}</span>`;return h`<li>${s==="page"?h`<a href=${`#playground?${encodeURIComponent(JSON.stringify({step:o}))}`}>${c}</a>`:h`<div>${c}</div>`}</li>`})}
  </ol>`}var er=["A little girl in a pink dress is","Two dogs are running through the","Several people are sitting at a"],wc=400,ef={text:er[0],head:"",token:null};function nf({ask:t,state:e,change:n,place:s}){let o=R(null),r={text:e.text.slice(0,wc)},a=bt(t,"start",r),i=X(()=>a.response&&sf(a.response),[a.response]),[l,c]=j(null),p=x=>(c(null),n({text:x,token:null}));if(!i)return h`<div class="start"><${I}><${B} error=${a.error} waiting=${!0} lines=${5} /><//></div>`;let u=i.pieces.length,[d,m]=rf(i,e.head),f=of(l??e.token??u-1,u),$=i.rowOf(d,m,f),g=()=>({weights:{shape:[u,u],data:i.mapOf(d,m),rows:i.names,columns:i.names,axes:["query","key"]}});return h`<div class="start">
    <div class="start-live">
      <${I} class="start-read">
        <div class="start-tools">
          <${kt} class="start-write" place=${s} what="write another sentence">
            <${St} label="The sentence: write your own" live value=${e.text} max=${wc} onChange=${p} />
          <//>
          <${nt} label="Head" value=${e.head} options=${af(i)} onChange=${x=>n({head:x})} />
          <${ot} name="attention" of=${o} numbers=${g} saves=${()=>[["start",r],["runs",{}]]} ask=${t}
            view="start" state=${e} place=${s} />
        </div>
        <figure class="start-figure" ref=${o}>
          <${yc} read=${i} row=${$} query=${f} pinned=${e.token} onPoint=${c} onPin=${x=>n({token:x})} />
          <figcaption>${lf(i,d,m,f,$)}</figcaption>
        </figure>
        <${B} error=${a.error} />
        ${s==="page"&&h`<p class="start-examples"><span class="hint">Or read</span>
          ${er.filter(x=>x!==e.text).map(x=>h`<button class="quiet" onClick=${()=>p(x)}>${x} …</button>`)}</p>`}
      <//>
      <${I} class="start-next" title="What comes next?">
        <${kt} place=${s} noted=${!1}><${cf} read=${i} text=${e.text} isFull=${u>=i.context} write=${p} /><//>
      <//>
    </div>
    <${bc} read=${i} row=${$} query=${f} place=${s} />
    ${s==="page"&&h`<${gc} ask=${t} place=${s} />`}
  </div>`}function sf({header:t,data:e,offset:n}){let s=t.pieces.length,o=new Float32Array(e,n,t.layers*t.heads*s*s),r=(i,l)=>o.subarray((i*t.heads+l)*s*s,(i*t.heads+l+1)*s*s);return{...t,mapOf:r,rowOf:(i,l,c)=>r(i,l).subarray(c*s,(c+1)*s),names:t.pieces.map(tr)}}var of=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function rf({layers:t,heads:e,telling:n},s){let[o,r]=s.split(".").map(Number);return/^\d+\.\d+$/.test(s)&&o<t&&r<e?[o,r]:n}function af({layers:t,heads:e,telling:[n,s]}){let o=r=>[`Layer ${r+1}`,Array.from({length:e},(a,i)=>[`${r}.${i}`,`layer ${r+1}, head ${i+1}`])];return[["",`layer ${n+1}, head ${s+1} (looks farthest)`],...Array.from({length:t},(r,a)=>o(a))]}var lf=(t,e,n,s,o)=>h`<b>${t.names[s]}</b> looks at
  ${Ce(o,3).map((r,a)=>h`${a?", ":" "}<b>${r===s?"itself":t.names[r]}</b> ${lt(o[r])}`)}:
  the <${yt} of="weight">weights<//> of <${yt} of="head">head<//> ${n+1} in <${yt} of="layer">layer<//> ${e+1},
  one of ${t.layers*t.heads} in this model.`;function cf({read:t,text:e,isFull:n,write:s}){if(n)return h`<p>The model was trained on ${t.context} <${yt} of="token">tokens<//> at a time. <button onClick=${()=>s(er[0])}>Start anew</button></p>`;let o=t.next[0].probability;return h`<p class="note">The model gives every <${yt} of="token">token<//> a probability. Click one to append it.</p>
    <ol class="start-bars">${t.next.map(({piece:r,probability:a})=>h`<li key=${r}><button title=${`${a}`}
      onClick=${()=>s(r?e.trimEnd()+(e.trim()?r:r.trimStart()):"")}>
      <span class="start-bar" style=${{width:`${100*a/o}%`}}></span>
      <span class="start-piece">${r?tr(r):"end, begin a new one"}</span><span class="start-share">${lt(a)}</span></button></li>`)}</ol>`}var vc={name:"start",title:"Start",headline:"Attention: every word looks at the words before it, and takes what it needs.",about:"A small Transformer, trained on captions of photographs, reads this sentence. Point at a word: the arcs show where it looks, and how much.",state:ef,View:nf};var ce=[vc,Zl,Ti,vl,Yi,Dl,fc],Lt=t=>ce.find(e=>e.name===t)??ce[0];function on({model:t}){let e=Lt(t.get("view")),n=X(()=>Dr(t),[t]),[s,o]=j(()=>({...e.state,...t.get("state")}));W(()=>{let a=()=>o({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let r=Er(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return h`<${e.View} ask=${n} state=${s} change=${r} place=${t.get("place")??"notebook"} />`}function rn(){let[,t,e]=/^#?([^?]*)\??(.*)$/s.exec(location.hash);if(t&&!ce.some(r=>r.name===t))return{view:ce[0].name,state:{},refused:`There is no view called “${nr(t)}”.`};let n=Lt(t),{state:s={},refused:o=null}=e?pf(n,e):{};return{view:n.name,state:s,refused:o}}function pf(t,e){let n;try{n=JSON.parse(decodeURIComponent(e))}catch{n=null}if(ls(n)!=="an object")return{refused:"The end of this address is broken: behind “?” stands the state of the view, an object of JSON."};for(let[s,o]of Object.entries(n)){if(!Object.hasOwn(t.state,s))return{refused:`${t.title} has no “${nr(s)}”: this address may say ${Object.keys(t.state).join(", ")}.`};let r=t.state[s];if(r!==null&&ls(o)!==ls(r))return{refused:`“${s}” must be ${ls(r)}: this address says ${nr(JSON.stringify(o))}.`}}return{state:n}}var nr=t=>t.length>60?`${t.slice(0,59)}…`:t,uf={string:"a text",number:"a number",boolean:"true or false",object:"an object"},ls=t=>Array.isArray(t)?"a list":t===null?"nothing":uf[typeof t];function an({view:t,state:e}){let n=Object.entries(e).filter(([s,o])=>Ae(o)!==Ae(Lt(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(Ae(Object.fromEntries(n)))}`:""}`}var Ae=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n);var hf=350,df=700,mf="textarea, input[type=text]:not(.cell), .cell[data-draft]",[_c,sr,or,rr,cs,ar]=[-1/0,!1,0,null,history.state?.depth??0,()=>{}],Te=()=>history.state?.depth??0;function kc(t){return t.on("change:state",()=>{sr||=performance.now()-_c<df,rr=t,clearTimeout(or),or=setTimeout(us,hf)}),t}function us(){clearTimeout(or);let[t,e]=[rr,sr];[rr,sr]=[null,!1];let n=rn();if(!t||n.refused||n.view!==t.get("view"))return;let s=an({view:n.view,state:t.get("state")});s!==an(n)&&(e?(history.replaceState({depth:Te()},""),history.pushState({depth:cs=Te()+1},"",s)):history.replaceState(history.state,"",s),ar())}function ir(){us(),Te()>0&&history.back()}function ps(){us(),Te()<cs&&history.forward()}function Mc(){let[,t]=j(0);return W(()=>{let e=a=>(a.type!=="pointermove"||a.buttons)&&(_c=performance.now()),n=a=>{if(!(a.ctrlKey||a.metaKey)||a.altKey||a.target.matches?.(mf))return;let i={z:a.shiftKey?ps:ir,y:ps}[a.key.toLowerCase()];i&&(a.preventDefault(),i())},s=a=>a.target.closest?.("a[href^='#']")&&us(),o=()=>{history.state===null&&(cs=0),ar()};ar=()=>t(a=>a+1);let r=["pointerdown","pointerup","pointermove","keydown","input","change","drop"];for(let a of r)addEventListener(a,e,!0);return addEventListener("keydown",n),addEventListener("click",s,!0),addEventListener("popstate",o),()=>{for(let a of r)removeEventListener(a,e,!0);removeEventListener("keydown",n),removeEventListener("click",s,!0),removeEventListener("popstate",o)}},[]),{past:Te(),future:cs-Te()}}var Sc=[["Start",["start"]],["Learn",["playground","claims"]],["Inspect",["maps","heads"]],["Design",["patterns"]],["Runs",["runs"]]],pe=new Map;function Nc({view:t,state:e}){return pe.has(t)||pe.set(t,kc(new xn({view:t,state:e,place:"page"}))),pe.get(t)}function ff({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=o=>{console.error(o),s(o)},W(()=>{let o=()=>s(null);return t.on("change:state",o),()=>t.off("change:state",o)},[t]),n===null?e:h`<${Cc} why=${`The view cannot show this address: ${n.message}`} again=${()=>t.set("state",{})} />`}var Cc=({why:t,again:e})=>h`<section class="panel" role="alert"><p class="error">${t}</p><button onClick=${e}>Start over</button></section>`;function Ac(){let[t,e]=j(rn);W(()=>{let s=()=>{let o=rn();pe.has(o.view)&&Ae(pe.get(o.view).get("state"))!==Ae(o.state)&&pe.get(o.view).set("state",o.state),e(o)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),W(()=>{document.title=`${Lt(t.view).title} · regard`},[t.view]);let n=Lt(t.view);return h`
    <a class="skip" href=${location.hash||"#start"} onClick=${xf}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#start" aria-label="regard"><${Fn} />regard</a>
      <nav aria-label="Views">${ce.map(s=>h`<${Ec} one=${s} here=${n} />`)}</nav>
      <${gf} /><${In} />
    </header>
    <main id="main" tabindex="-1" class=${`of-${n.name}`}>
      <div class="heading"><h1>${n.headline??n.title}</h1><p>${n.about}</p></div>
      ${t.refused?h`<${Cc} why=${t.refused} again=${()=>location.hash=`#${n.name}`} />`:h`<${ff} key=${n.name} model=${Nc(t)}><${on} model=${Nc(t)} /><//>`}
    </main>
    <${$f} here=${n} />
  `}var Tc=t=>an({view:t,state:pe.get(t)?.get("state")??{}}),Ec=({one:t,here:e})=>h`<a href=${Tc(t.name)} aria-current=${t===e?"page":null}>${t.title}</a>`;function $f({here:t}){let[,e]=Sc.find(([,n])=>n.includes(t.name));return h`<nav class="bottom" aria-label="Where you are">
    ${e.length>1&&h`<div class="bottom-views">${e.map(n=>h`<${Ec} one=${Lt(n)} here=${t} />`)}</div>`}
    <div class="bottom-groups">${Sc.map(([n,s])=>h`<a href=${Tc(s.includes(t.name)?t.name:s[0])}
      aria-current=${s===e?"true":null}>${n}</a>`)}</div>
  </nav>`}function gf(){let{past:t,future:e}=Mc(),n=s=>h`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d=${s} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" /></svg>`;return h`<span class="undo"><${wt} class="quiet" aria-label="Undo" title="Undo (Ctrl-Z)" off=${!t} onClick=${ir}>${n("M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8")}<//><${wt}
    class="quiet" aria-label="Redo" title="Redo (Ctrl-Shift-Z)" off=${!e} onClick=${ps}>${n("m13 4 4 4-4 4m4-4H9a5 5 0 0 0 0 10h3")}<//></span>`}function xf(t){t.preventDefault(),document.getElementById("main").focus()}var lr=document.getElementById("regard-page");lr&&(lr.textContent="",ze(h`<${Ac} />`,lr));var Oc=document.getElementById("regard-saved");Oc&&yf(JSON.parse(Oc.textContent));function yf({view:t,state:e,answers:n,version:s,date:o}){let r=Lt(t),a=new yn({view:t,state:e,place:"file"},n);document.title=`${r.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=h`
    <main>
      <div class="heading"><div><h1>${r.title}</h1><p>${r.about}</p></div><${In} /></div>
      <${on} model=${a} />
    </main>
    <footer><${Fn} /><p>Saved from regard ${s} on ${o}; <code>regard explore</code> shows it live.</p></footer>
  `;ze(l,i)}function Pc(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var by={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:o})=>e.contains(o)&&(o.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),Pc();let s=new MutationObserver(Pc);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),ze(h`<${on} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),ze(null,e))}};export{xn as PageModel,yn as SavedModel,Dr as asker,by as default,$o as drawFigure,ke as ellipseOf,Qc as fromBase64,h as html,Nt as isAborted,ze as render,Os as toBase64,Yc as unpack,Q as useAnswer,bt as useLatest,Lt as viewOf};
