/* sources 8a035bfc67536daf23cb808af1fe0706 */
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
var U,zr,El,Tt,Kn,Je,Rr,Ve,Dr,Yn,Vn,Ol,be=Symbol.for("pv"),Ye={},Qe=[],Pl=/^m(i|n|o|s|text|space)$/,Qn=Array.isArray,Zn=Qe.slice,Wt=Object.assign;function It(t){t&&t.parentNode&&t.remove()}function Ll(t,e,n){var s,r,o,a={},i=arguments.length;for(o in e)o=="key"?s=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:a[o]=e[o];return i>2&&(a.children=i>3?Zn.call(arguments,2):n),xe(t,a,s,r,null)}function xe(t,e,n,s,r){var o={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:be,__v:r||++zr,__i:-1,__u:0};return!r&&U.vnode&&U.vnode(o),o}function Ze(t){return t.children}function Xe(t,e){this.props=t,this.context=e,this.__g=0}function Et(t,e){if(e==null)return t.__&&Et(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Et(t)}function zl(t){var e,n=t.__v,s=n.__e,r=[],o=[],a=t.__P;a&&((e=Wt({constructor:be},n)).__v=n.__v+1,U.vnode&&U.vnode(e),ts(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,r,s||Et(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,Br(r,e,o),n.__=n.__e=null,e.__e!=s&&jr(e))}function jr(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),jr(t)}function _r(t){(8&t.__g||(t.__g|=8,Tt.push(t),Je++))&&Kn==U.debounceRendering||((Kn=U.debounceRendering)||queueMicrotask)(qr)}function qr(){try{for(var t,e=1;Tt.length;)Tt.length>e&&Tt.sort(Rr),t=Tt.shift(),e=Tt.length,8&t.__g&&zl(t)}finally{(Je=Tt.length)&&(Kn||queueMicrotask)(qr)}}function Fr(t,e,n,s,r,o,a,i,l,c,u){var p,h,m,f,$,g,x=s.__k||Qe,v=e.length;for(l=Rl(n,e,x,l,v),p=0;p<v;p++)(m=n.__k[p])!=null&&(h=~m.__i&&x[m.__i]||Ye,m.__i=p,g=ts(t,m,h,r,o,a,i,l,c,u),f=m.__e,(h.ref!=m.ref||8&h.__u)&&(h.ref&&es(h.ref,null,m,h),m.ref&&u.push(m.ref,m.__c||f,m)),$=$||f,4&m.__u?(l=Ir(m,l,t,!h.__v),h.__e&&(h.__e=null)):typeof m.type=="function"&&g!==void 0?l=g:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=$,l}function Rl(t,e,n,s,r){var o,a,i,l,c,u,p,h,m,f=n.length,$=f,g=0,x=0,v=t.__k=Array(r);for(o=0;o<r;o++)(a=e[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=v[o]=xe(null,a):Qn(a)?a=v[o]=xe(Ze,{children:a}):a.constructor===be&&a.__b?a=v[o]=xe(a.type,a.props,a.key,a.ref,a.__v):v[o]=a,l=o+g,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=Dl(a,n,l,$))&&($--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?g--:c==l+1?g++:c!=l&&(c>l?g--:g++,x=1)):(~c||(r>f?g--:r<f&&g++),typeof a.type!="function"&&(a.__u|=4))):v[o]=null;if(x){for(u=[],p=[],o=0;o<r;o++)if((a=v[o])&&16&a.__u){for(g=0,h=u.length;g<h;)u[m=g+h>>1]<a.__i?g=m+1:h=m;u[g]=a.__i,p[o]=g+1}for(g=u.length;o--;)p[o]&&(p[o]==g?g--:v[o].__u|=4)}if($)for(o=0;o<f;o++)!(i=n[o])||2&i.__u||(i.__e==s&&(s=Et(i)),ns(i,i));return s}function Ir(t,e,n,s){var r,o,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)r[o]&&(r[o].__=t,e=Ir(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=Et(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function Dl(t,e,n,s){var r,o=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&o==null||l&&o==i.key&&a==i.type)return n;if(s>(l?1:0)){for(r=n-1;r>=0;r--)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r;for(r=n+1;r<e.length;r++)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r}return-1}function kr(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Ke(t,e,n,s,r){var o,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||kr(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||kr(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=Vn[e]||(Vn[e]=jl(e)),(t.__a||(t.__a={}))[e]=Yn,o=e!=(e=e.replace(Dr,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,o):t.removeEventListener(e,a,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function jl(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[Ve]==null)e[Ve]=Yn++;else if(e[Ve]<this.__a[t])return;return n(U.event?U.event(e):e)}}}function ts(t,e,n,s,r,o,a,i,l,c){var u,p,h,m,f,$,g,x,v,b,y,w,M,A,_,T,k,P,N=e.type;if(e.constructor!==be)return null;128&n.__u&&(l=32&n.__u,u=n.__c.__z)&&(e.__u|=l,p=o=[],u.nodeType==8?i=Ge(u,o):o.push(u),i=o[0]||i),(u=U.__b)&&u(e);t:if(typeof N=="function"){h=a.length;try{if(x=e.props,v=(u=N.prototype)&&u.render,b=(u=N.contextType)&&s[u.__c],y=u?b?b.props.value:u.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(v?e.__c=m=new N(x,y):(e.__c=m=new Xe(x,y),m.constructor=N,m.render=Fl),b&&b.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),v&&(m.__s||(m.__s=m.state),N.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Wt({},m.__s)),Wt(m.__s,N.getDerivedStateFromProps(x,m.__s)))),f=m.props,$=m.state,m.__v=e,n.__c){if(x!==f&&v&&!N.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(x,y),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(x,m.__s,y)===!1){e.__v!=n.__v&&(m.props=x,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(R){R&&(R.__=e)}),Qe.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Et(n);break t}m.componentWillUpdate&&m.componentWillUpdate(x,m.__s,y),v&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,$,g)})}else v&&!N.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),v&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=y,m.props=x,m.__P=t,m.__g&=-5,w=U.__r,M=v?25:0;do m.__g&=-9,w&&w(e),u=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++M<25);v&&(Qe.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Wt({},s,m.getChildContext())),v&&n.__c&&m.getSnapshotBeforeUpdate&&(g=m.getSnapshotBeforeUpdate(f,$)),A=u&&u.type===Ze&&u.key==null?u.props.children:u,x.__P&&(u=i,r=(t=x.__P).namespaceURI,l=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(R){R&&ns(R,R)}),n.__k=null),i=n.__k?Et(n,0):null),i=Fr(t,Qn(A)?A:[A],e,n,s,r,o,a,i,l,c),x.__P&&(e.__e=null,i=u),e.__u&=-161,p&&p.some(It),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(R){if(a.length=h,e.__v=null,l||o)if(R&&R.then){if(e.__u|=128|l,o){for(~(k=o.indexOf(i||void 0))||(k=o.length);(P=o[k-1])&&P.nodeType==8;)k--;for(;k<o.length;k++)if(P=o[k])if(o[k]=null,_){if(P==T)break}else{if(P.nodeType!=8)break;P.data.startsWith("$s")&&(T=Ge(_=P))}}if(!_){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;_=i}(u=Ge(_=e.__c.__z||(e.__c.__z=_)))?(e.__e=_,i=u):e.__e=i,i=i&&i.nextSibling}else o&&o.some(It);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),R&&R.then||Wr(e),U.__e(R,e,n)}}else i=e.__e=ql(n.__e,e,n,s,r,o,a,l,c,t);return(u=U.diffed)&&u(e),i}function Ge(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Wr(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(Wr))}function Br(t,e,n){for(var s=0;s<n.length;)es(n[s++],n[s++],n[s++]);U.__c&&U.__c(e,t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){U.__e(o,r.__v)}})}function ql(t,e,n,s,r,o,a,i,l,c){var u,p,h,m,f,$,g,x,v=n.props||Ye,b=e.props,y=e.type;if(y=="svg"?r="http://www.w3.org/2000/svg":y=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((f=o[u])&&(y?f.localName==y:f.nodeType==3)){t=f,o[u]=null;break}}if(!t){if(x=c.ownerDocument||document,!y)return x.createTextNode(b);t=x.createElementNS(r,y,b.is?b:c),i&&(U.__m&&U.__m(e,o),i=!1),o=null}if(y){if(c=y=="template"&&t.content||t,o=y=="textarea"&&b.defaultValue!=null?null:o&&Zn.call(c.childNodes),!i&&o)for(v={},u=0;u<t.attributes.length;u++)v[(f=t.attributes[u]).name]=f.value;for(u in v)f=v[u],u=="dangerouslySetInnerHTML"?h=f:u=="children"||u in b||u=="value"&&"defaultValue"in b||u=="checked"&&"defaultChecked"in b||Ke(t,u,null,f,r);for(u in b)f=b[u],u=="children"?m=f:u=="dangerouslySetInnerHTML"?p=f:u=="value"?$=f:u=="checked"?g=f:i&&typeof f!="function"||v[u]===f||Ke(t,u,f,v[u],r);p?(i||h&&(p.__html==h.__html||p.__html==t.innerHTML)||(t.innerHTML=p.__html),e.__k=[]):(h&&(t.textContent=""),(y=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Pl.test(y))&&(r="http://www.w3.org/1999/xhtml"),Fr(c,Qn(m)?m:[m],e,n,s,r,o,a,o?o[0]:n.__k&&Et(n,0),i,l),o&&o.some(It)),i&&y!="textarea"||(u="value",y=="progress"&&$==null?t.removeAttribute(u):$==null||$===t[u]&&(y!="progress"||$)||Ke(t,u,$,v[u],r),u="checked",g!=null&&g!=t[u]&&Ke(t,u,g,v[u],r))}else v===b||i&&t.data==b||(t.data=b);return t}function es(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){U.__e(r,n)}}function ns(t,e,n){var s,r,o,a;if(U.unmount&&U.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||es(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){U.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&ns(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(r=Ge(s,o=[]))&&(s==t.__e&&o.some(It),It(r),It(s)),n||It(t.__e),t.__e=t.__c=t.__=null}function Fl(t,e,n){return this.constructor(t,n)}function we(t,e){var n,s,r,o;U.__&&U.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=xe(Ze,{children:[t]}),r=[],o=[],ts(e,e.__k,s||Ye,Ye,e.namespaceURI,s?null:e.firstChild?Zn.call(e.childNodes):null,r,s?s.__e:e.firstChild,n,o),Br(r,e.__k,o),e.__k.props.children=null}U={__e:function(t,e,n,s){for(var r,o,a;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((a=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(t)),r.componentDidCatch&&(r.componentDidCatch(t,s||{}),a=1),a&&8&r.__g)return void(r.__g|=2)}catch(i){t=i}}throw Je=0,t}},zr=0,El=function(t){return t!=null&&t.constructor===be},Xe.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Wt({},this.state)),typeof t=="function"&&(t=t(Wt({},n),this.props)),t&&(Wt(n,t),this.__v&&(e&&this.__k.push(e),_r(this)))},Xe.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),_r(this))},Xe.prototype.render=Ze,Tt=[],Je=0,Rr=function(t,e){return t.__v.__b-e.__v.__b},Ve=Symbol(),Dr=/(PointerCapture)$|Capture$/i,Yn=0,Vn={},Ol=0;var Bt,Y,Un,Mr,Xn=Object.is,ve=0,Hr=[],Gn=[],J=U,Sr=J.__b,Nr=J.__r,Cr=J.diffed,Ar=J.__c,Tr=J.unmount,Er=J.__;function _e(t,e){J.__h&&J.__h(Y,t,ve||e),ve=0;var n=Y.__H||(Y.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function j(t){return ve=1,Il(Kr,t)}function Il(t,e,n){var s=_e(Bt++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):Kr(void 0,e),function(o){var a=(s.__N||s.__)[0],i=s.t(a,o);Xn(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=Y,!Y.__f)){Y.__f=!0;var r=Y.shouldComponentUpdate;Y.shouldComponentUpdate=function(o,a,i){var l=this.__H;if(!l)return!0;var c=!1,u=this.props!=o;if(l.__.some(function(h){h.__N&&(c=!0,Xn(h.__[0],h.__N[0])||(u=!0))}),r){var p=r.call(this,o,a,i);return c?p||u:p}return!c||u}}return s.__}function W(t,e){var n=_e(Bt++,3);!J.__s&&ss(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,Y.__H.__h.push(n))}function lt(t,e){var n=_e(Bt++,4);!J.__s&&ss(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,Y.__h.push(n))}function D(t){return ve=5,K(function(){return{current:t}},[])}function K(t,e){var n=_e(Bt++,7);return ss(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Ur(t,e){return ve=8,K(function(){return t},e)}function X(){var t=_e(Bt++,11);if(!t.__){for(var e=Y.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Wl(){var t;do{for(;t=Gn.shift();)try{ye(t)}catch(n){J.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=Hr.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(ye),e.__h.some(Jn),e.__h=[]}catch(n){e.__h=[],J.__e(n,t.__v)}}}while(Gn.length)}J.__b=function(t){Y=null,Sr&&Sr(t)},J.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),Er&&Er(t,e)},J.__r=function(t){Nr&&Nr(t),Bt=0;var e=(Y=t.__c).__H;e&&(Un==Y?Y.__h=[]:(e.__h.some(ye),e.__h.some(Jn),Bt=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Un=Y},J.diffed=function(t){Cr&&Cr(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&Pr(Hr.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Un=Y=null},J.__c=function(t,e){e.some(function(n){try{n.__h.some(ye),n.__h=n.__h.filter(function(s){return!s.__||Jn(s)})}catch(s){n.__h=[function(){throw s}]}}),Ar&&Ar(t,e)},J.unmount=function(t){Tr&&Tr(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,Pr(Gn.push(r))}else ye(r)}catch(o){e=o}}),s.__H=void 0,e&&J.__e(e,s.__v))};var Or=typeof requestAnimationFrame=="function";function Bl(t){var e,n=function(){clearTimeout(s),Or&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);Or&&(e=requestAnimationFrame(n))}function Pr(t){t!=1&&Mr==J.requestAnimationFrame||((Mr=J.requestAnimationFrame)||Bl)(Wl)}function ye(t){var e=Y,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),Y=e}function Jn(t){var e=Y;t.__c=t.__(),Y=e}function ss(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!Xn(n,t[s])})}function Kr(t,e){return typeof e=="function"?e(t):e}var Vr=function(t,e,n,s){var r;e[0]=0;for(var o=1;o<e.length;o++){var a=e[o++],i=e[o]?(e[0]|=a?1:2,n[e[o++]]):e[++o];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++o]]=i:a===6?s[1][e[++o]]+=i+"":a?(r=t.apply(i,Vr(t,i,n,["",null])),s.push(r),i[0]?e[0]|=2:(e[o-2]=0,e[o]=r)):s.push(i)}return s},Lr=new Map;function Hl(t){var e=Lr.get(this);return e||(e=new Map,Lr.set(this,e)),(e=Vr(this,e.get(t)||(e.set(t,e=(function(n){for(var s,r,o=1,a="",i="",l=[0],c=function(h){o===1&&(h||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,h,a):o===3&&(h||a)?(l.push(3,h,a),o=2):o===2&&a==="..."&&h?l.push(4,h,0):o===2&&a&&!h?l.push(5,0,!0,a):o>=5&&((a||!h&&o===5)&&(l.push(o,0,a,r),o=6),h&&(l.push(o,h,0,r),o=6)),a=""},u=0;u<n.length;u++){u&&(o===1&&c(),c(u));for(var p=0;p<n[u].length;p++)s=n[u][p],o===1?s==="<"?(c(),l=[l],o=3):a+=s:o===4?a==="--"&&s===">"?(o=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),o=1):o&&(s==="="?(o=5,r=a,a=""):s==="/"&&(o<5||n[u][p+1]===">")?(c(),o===3&&(l=l[0]),o=l,(l=l[0]).push(2,0,o),o=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),o=2):a+=s),o===3&&a==="!--"&&(o=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var d=Hl.bind(Ll);function Jr(t){return rs.has(t)||rs.set(t,Ul(t)),rs.get(t)}var rs=new WeakMap;function Ul(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(r,o)=>{let a=e.get(r?.id);a&&(e.delete(r.id),r.error!==void 0?a.reject(Object.assign(new Error(r.error),{status:r.status})):a.resolve(o?.length?Kl(o[0]):r.response))}),(r,o={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(Xr());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(Xr()))}),t.send({id:c,name:r,request:o})})}var Xr=()=>new DOMException("nobody waits for it any more","AbortError"),gt=t=>t?.name==="AbortError";function Kl(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),r=e.byteOffset+4+n,o=r%8?e.buffer.slice(r,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:o,offset:r%8?0:r,packed:a}}var tn=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},en=class extends tn{running=new Map;async send({id:e,name:n,request:s,cancel:r}){if(r)return this.running.get(e)?.abort();let o=new AbortController;this.running.set(e,o);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:o.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){gt(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},nn=class extends tn{constructor(e,n){super(e),this.answers=new Map(n.map(([s,r,o])=>[Gr(s,r),o]))}send({id:e,name:n,request:s,cancel:r}){if(r)return;let o=this.answers.get(Gr(n,s));queueMicrotask(()=>{o===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof o=="string"?this.emit("msg:custom",{id:e},[Vl(o).buffer]):this.emit("msg:custom",{id:e,response:o})})}},Gr=(t,e)=>`${t} ${JSON.stringify(os(e))}`,os=t=>Array.isArray(t)?t.map(os):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,os(t[e])])):t;function Vl(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function as(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function G(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null});return W(()=>{if(s===null){o(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return o(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>o({response:i,error:null,waiting:!1,of:s}),i=>gt(i)||o(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),r}function xt(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=j({response:null,error:null,waiting:s!==null,of:null}),a=D({busy:!1,next:null,here:!0});return W(()=>(a.current.here=!0,()=>a.current.here=!1),[]),W(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let u=await t(e,JSON.parse(c));i.here&&o({response:u,error:null,waiting:i.next!==null,of:c})}catch(u){i.here&&!gt(u)&&o(p=>({...p,error:u.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),r}var Xl={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},yt=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],Me=["","6 3","2 3","8 3 2 3","1 3","10 4"],Gl=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),sn=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,Jl=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function Yl(t){let e=t.map(s=>Gl(s).map(sn)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let r=s/255*(e.length-1),o=Math.min(Math.floor(r),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=Jl(e[o][a]+(r-o)*(e[o+1][a]-e[o][a]));n[4*s+3]=255}return n}var is=new Map,ke=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Ht(t){let e=`${ke()} ${t}`;return is.has(e)||is.set(e,Yl(Xl[ke()][t])),is.get(e)}function rn(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function Ot(t,e,n){let s=Ht(e),r=4*rn(t,e,n);return`rgb(${s[r]}, ${s[r+1]}, ${s[r+2]})`}function Yr(t,e,n){let s=Ht(e),r=4*rn(t,e,n);return .2126*sn(s[r])+.7152*sn(s[r+1])+.0722*sn(s[r+2])>.2?"#14161d":"#ffffff"}function Qr(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}var on=()=>d`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,to="regard-theme",Zr=()=>{try{return localStorage.getItem(to)}catch{return null}};Zr()&&eo(Zr());function eo(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function an(){let e=ct()==="dark"?"light":"dark";return d`<button class="quiet" onClick=${()=>{eo(e);try{localStorage.setItem(to,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function ct(){let[t,e]=j(ke);return W(()=>Qr(()=>e(ke())),[]),t}function Q(){let t=D(null),[e,n]=j(0);return lt(()=>{let s=new ResizeObserver(([r])=>n(Math.floor(r.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function F({title:t,note:e,class:n="",actions:s,children:r}){return d`<section class=${`panel ${n}`}>
    ${(t||s)&&d`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&d`<p class="note">${e}</p>`}
    ${r}
  </section>`}function I({error:t,waiting:e,children:n}){return d`<div class="said" role="status" aria-live="polite">
    ${t?d`<p class="error">${t}</p>`:e?d`<p class="waiting">${n??"computing …"}</p>`:null}
  </div>`}function Pt({place:t,class:e="",noted:n=!0,what:s,children:r}){return t!=="file"?d`<div class=${e||"as-itself"}>${r}</div>`:d`<fieldset class=${`saved-still ${e}`} disabled>${n&&d`<${Ut} place=${t} what=${s} />`}${r}</fieldset>`}var Ut=({place:t,what:e="change it"})=>t==="file"&&d`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,ls=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,ee=(t,e,n,s)=>Number.isFinite(t)?Math.round(ls(t,e,n)):s,Se=(t,e,n)=>e.includes(t)?t:n,ln=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>ee(s,e,n)):null,Lt=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;function dn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function Ql(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Eo(t){let e,n,s;t.length!==2?(e=dn,n=(i,l)=>dn(t(i),l),s=(i,l)=>t(i)-l):(e=t===dn||t===Ql?t:Zl,n=t,s=t);function r(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<0?c=p+1:u=p}while(c<u)}return c}function o(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<=0?c=p+1:u=p}while(c<u)}return c}function a(i,l,c=0,u=i.length){let p=r(i,l,c,u-1);return p>c&&s(i[p-1],l)>-s(i[p],l)?p-1:p}return{left:r,center:a,right:o}}function Zl(){return 0}function tc(t){return t===null?NaN:+t}var Oo=Eo(dn),ec=Oo.right,Id=Oo.left,Wd=Eo(tc).center,Bd=Po(Lo),Hd=Po(nc);function Po(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:r,width:o,height:a}=e;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:r.length/o))>=0))throw new RangeError("invalid height");if(!o||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=r.slice();return i&&l?(ne(i,c,r,o,a),ne(i,r,c,o,a),ne(i,c,r,o,a),se(l,r,c,o,a),se(l,c,r,o,a),se(l,r,c,o,a)):i?(ne(i,r,c,o,a),ne(i,c,r,o,a),ne(i,r,c,o,a)):l&&(se(l,r,c,o,a),se(l,c,r,o,a),se(l,r,c,o,a)),e}}function ne(t,e,n,s,r){for(let o=0,a=s*r;o<a;)t(e,n,o,o+=s,1)}function se(t,e,n,s,r){for(let o=0,a=s*r;o<s;++o)t(e,n,o,o+a,s)}function nc(t){let e=Lo(t);return(n,s,r,o,a)=>{r<<=2,o<<=2,a<<=2,e(n,s,r+0,o+0,a),e(n,s,r+1,o+1,a),e(n,s,r+2,o+2,a),e(n,s,r+3,o+3,a)}}function Lo(t){let e=Math.floor(t);if(e===t)return sc(t);let n=t-e,s=2*t+1;return(r,o,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*o[a],u=l*e,p=u+l;for(let h=a,m=a+u;h<m;h+=l)c+=o[Math.min(i,h)];for(let h=a,m=i;h<=m;h+=l)c+=o[Math.min(i,h+u)],r[h]=(c+n*(o[Math.max(a,h-p)]+o[Math.min(i,h+p)]))/s,c-=o[Math.max(a,h-u)]}}function sc(t){let e=2*t+1;return(n,s,r,o,a)=>{if(!((o-=a)>=r))return;let i=t*s[r],l=a*t;for(let c=r,u=r+l;c<u;c+=a)i+=s[Math.min(o,c)];for(let c=r,u=o;c<=u;c+=a)i+=s[Math.min(o,c+l)],n[c]=i/e,i-=s[Math.max(r,c-l)]}}var rc=Array.prototype,Ud=rc.slice,oc=Math.sqrt(50),ac=Math.sqrt(10),ic=Math.sqrt(2);function mn(t,e,n){let s=(e-t)/Math.max(0,n),r=Math.floor(Math.log10(s)),o=s/Math.pow(10,r),a=o>=oc?10:o>=ac?5:o>=ic?2:1,i,l,c;return r<0?(c=Math.pow(10,-r)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,r)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?mn(t,e,n*2):[i,l,c]}function $s(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[r,o,a]=s?mn(e,t,n):mn(t,e,n);if(!(o>=r))return[];let i=o-r+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(o-c)/-a;else for(let c=0;c<i;++c)l[c]=(o-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(r+c)/-a;else for(let c=0;c<i;++c)l[c]=(r+c)*a;return l}function gs(t,e,n){return e=+e,t=+t,n=+n,mn(t,e,n)[2]}function lc(t,e,n){e=+e,t=+t,n=+n;let s=e<t,r=s?gs(e,t,n):gs(t,e,n);return(s?-1:1)*(r<0?1/-r:r)}var Kd=cc(Math.random);function cc(t){return function(e,n=0,s=e.length){let r=s-(n=+n);for(;r;){let o=t()*r--|0,a=e[r+n];e[r+n]=e[o+n],e[o+n]=a}return e}}function ce(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function Oe(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function Rt(){}var Jt=.7,ie=1/Jt,oe="\\s*([+-]?\\d+)\\s*",Ce="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",bt="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",uc=/^#([0-9a-f]{3,8})$/,pc=new RegExp(`^rgb\\(${oe},${oe},${oe}\\)$`),hc=new RegExp(`^rgb\\(${bt},${bt},${bt}\\)$`),dc=new RegExp(`^rgba\\(${oe},${oe},${oe},${Ce}\\)$`),mc=new RegExp(`^rgba\\(${bt},${bt},${bt},${Ce}\\)$`),fc=new RegExp(`^hsl\\(${Ce},${bt},${bt}\\)$`),$c=new RegExp(`^hsla\\(${Ce},${bt},${bt},${Ce}\\)$`),no={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};ce(Rt,Ae,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:so,formatHex:so,formatHex8:gc,formatHsl:xc,formatRgb:ro,toString:ro});function so(){return this.rgb().formatHex()}function gc(){return this.rgb().formatHex8()}function xc(){return zo(this).formatHsl()}function ro(){return this.rgb().formatRgb()}function Ae(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=uc.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?oo(e):n===3?new et(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?cn(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?cn(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=pc.exec(t))?new et(e[1],e[2],e[3],1):(e=hc.exec(t))?new et(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=dc.exec(t))?cn(e[1],e[2],e[3],e[4]):(e=mc.exec(t))?cn(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=fc.exec(t))?lo(e[1],e[2]/100,e[3]/100,1):(e=$c.exec(t))?lo(e[1],e[2]/100,e[3]/100,e[4]):no.hasOwnProperty(t)?oo(no[t]):t==="transparent"?new et(NaN,NaN,NaN,0):null}function oo(t){return new et(t>>16&255,t>>8&255,t&255,1)}function cn(t,e,n,s){return s<=0&&(t=e=n=NaN),new et(t,e,n,s)}function Ss(t){return t instanceof Rt||(t=Ae(t)),t?(t=t.rgb(),new et(t.r,t.g,t.b,t.opacity)):new et}function fn(t,e,n,s){return arguments.length===1?Ss(t):new et(t,e,n,s??1)}function et(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}ce(et,fn,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new et(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new et(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new et(Xt(this.r),Xt(this.g),Xt(this.b),$n(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:ao,formatHex:ao,formatHex8:yc,formatRgb:io,toString:io}));function ao(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}`}function yc(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}${Vt((isNaN(this.opacity)?1:this.opacity)*255)}`}function io(){let t=$n(this.opacity);return`${t===1?"rgb(":"rgba("}${Xt(this.r)}, ${Xt(this.g)}, ${Xt(this.b)}${t===1?")":`, ${t})`}`}function $n(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Xt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Vt(t){return t=Xt(t),(t<16?"0":"")+t.toString(16)}function lo(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new mt(t,e,n,s)}function zo(t){if(t instanceof mt)return new mt(t.h,t.s,t.l,t.opacity);if(t instanceof Rt||(t=Ae(t)),!t)return new mt;if(t instanceof mt)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,r=Math.min(e,n,s),o=Math.max(e,n,s),a=NaN,i=o-r,l=(o+r)/2;return i?(e===o?a=(n-s)/i+(n<s)*6:n===o?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?o+r:2-o-r,a*=60):i=l>0&&l<1?0:a,new mt(a,i,l,t.opacity)}function xs(t,e,n,s){return arguments.length===1?zo(t):new mt(t,e,n,s??1)}function mt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ce(mt,xs,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new mt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new mt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,r=2*n-s;return new et(cs(t>=240?t-240:t+120,r,s),cs(t,r,s),cs(t<120?t+240:t-120,r,s),this.opacity)},clamp(){return new mt(co(this.h),un(this.s),un(this.l),$n(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=$n(this.opacity);return`${t===1?"hsl(":"hsla("}${co(this.h)}, ${un(this.s)*100}%, ${un(this.l)*100}%${t===1?")":`, ${t})`}`}}));function co(t){return t=(t||0)%360,t<0?t+360:t}function un(t){return Math.max(0,Math.min(1,t||0))}function cs(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var Ro=Math.PI/180,Do=180/Math.PI,gn=18,jo=.96422,qo=1,Fo=.82521,Io=4/29,ae=6/29,Wo=3*ae*ae,vc=ae*ae*ae;function Bo(t){if(t instanceof wt)return new wt(t.l,t.a,t.b,t.opacity);if(t instanceof St)return Ho(t);t instanceof et||(t=Ss(t));var e=ds(t.r),n=ds(t.g),s=ds(t.b),r=us((.2225045*e+.7168786*n+.0606169*s)/qo),o,a;return e===n&&n===s?o=a=r:(o=us((.4360747*e+.3850649*n+.1430804*s)/jo),a=us((.0139322*e+.0971045*n+.7141733*s)/Fo)),new wt(116*r-16,500*(o-r),200*(r-a),t.opacity)}function bc(t,e,n,s){return arguments.length===1?Bo(t):new wt(t,e,n,s??1)}function wt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}ce(wt,bc,Oe(Rt,{brighter(t){return new wt(this.l+gn*(t??1),this.a,this.b,this.opacity)},darker(t){return new wt(this.l-gn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=jo*ps(e),t=qo*ps(t),n=Fo*ps(n),new et(hs(3.1338561*e-1.6168667*t-.4906146*n),hs(-.9787684*e+1.9161415*t+.033454*n),hs(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function us(t){return t>vc?Math.pow(t,1/3):t/Wo+Io}function ps(t){return t>ae?t*t*t:Wo*(t-Io)}function hs(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function ds(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function wc(t){if(t instanceof St)return new St(t.h,t.c,t.l,t.opacity);if(t instanceof wt||(t=Bo(t)),t.a===0&&t.b===0)return new St(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*Do;return new St(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function ys(t,e,n,s){return arguments.length===1?wc(t):new St(t,e,n,s??1)}function St(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function Ho(t){if(isNaN(t.h))return new wt(t.l,0,0,t.opacity);var e=t.h*Ro;return new wt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}ce(St,ys,Oe(Rt,{brighter(t){return new St(this.h,this.c,this.l+gn*(t??1),this.opacity)},darker(t){return new St(this.h,this.c,this.l-gn*(t??1),this.opacity)},rgb(){return Ho(this).rgb()}}));var Uo=-.14861,Ns=1.78277,Cs=-.29227,_n=-.90649,Te=1.97294,uo=Te*_n,po=Te*Ns,ho=Ns*Cs-_n*Uo;function _c(t){if(t instanceof Gt)return new Gt(t.h,t.s,t.l,t.opacity);t instanceof et||(t=Ss(t));var e=t.r/255,n=t.g/255,s=t.b/255,r=(ho*s+uo*e-po*n)/(ho+uo-po),o=s-r,a=(Te*(n-r)-Cs*o)/_n,i=Math.sqrt(a*a+o*o)/(Te*r*(1-r)),l=i?Math.atan2(a,o)*Do-120:NaN;return new Gt(l<0?l+360:l,i,r,t.opacity)}function vs(t,e,n,s){return arguments.length===1?_c(t):new Gt(t,e,n,s??1)}function Gt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ce(Gt,vs,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new Gt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new Gt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*Ro,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),r=Math.sin(t);return new et(255*(e+n*(Uo*s+Ns*r)),255*(e+n*(Cs*s+_n*r)),255*(e+n*(Te*s)),this.opacity)}}));function Ko(t,e,n,s,r){var o=t*t,a=o*t;return((1-3*t+3*o-a)*e+(4-6*o+3*a)*n+(1+3*t+3*o-3*a)*s+a*r)/6}function kc(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),r=t[s],o=t[s+1],a=s>0?t[s-1]:2*r-o,i=s<e-1?t[s+2]:2*o-r;return Ko((n-s/e)*e,a,r,o,i)}}function Mc(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),r=t[(s+e-1)%e],o=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return Ko((n-s/e)*e,r,o,a,i)}}var kn=t=>()=>t;function Vo(t,e){return function(n){return t+n*e}}function Sc(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function As(t,e){var n=e-t;return n?Vo(t,n>180||n<-180?n-360*Math.round(n/360):n):kn(isNaN(t)?e:t)}function Nc(t){return(t=+t)==1?ut:function(e,n){return n-e?Sc(e,n,t):kn(isNaN(e)?n:e)}}function ut(t,e){var n=e-t;return n?Vo(t,n):kn(isNaN(t)?e:t)}var mo=(function t(e){var n=Nc(e);function s(r,o){var a=n((r=fn(r)).r,(o=fn(o)).r),i=n(r.g,o.g),l=n(r.b,o.b),c=ut(r.opacity,o.opacity);return function(u){return r.r=a(u),r.g=i(u),r.b=l(u),r.opacity=c(u),r+""}}return s.gamma=t,s})(1);function Xo(t){return function(e){var n=e.length,s=new Array(n),r=new Array(n),o=new Array(n),a,i;for(a=0;a<n;++a)i=fn(e[a]),s[a]=i.r||0,r[a]=i.g||0,o[a]=i.b||0;return s=t(s),r=t(r),o=t(o),i.opacity=1,function(l){return i.r=s(l),i.g=r(l),i.b=o(l),i+""}}}var Vd=Xo(kc),Xd=Xo(Mc);function Cc(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),r;return function(o){for(r=0;r<n;++r)s[r]=t[r]*(1-o)+e[r]*o;return s}}function Ac(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function Tc(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,r=new Array(s),o=new Array(n),a;for(a=0;a<s;++a)r[a]=Ts(t[a],e[a]);for(;a<n;++a)o[a]=e[a];return function(i){for(a=0;a<s;++a)o[a]=r[a](i);return o}}function Ec(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function vt(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Oc(t,e){var n={},s={},r;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(r in e)r in t?n[r]=Ts(t[r],e[r]):s[r]=e[r];return function(o){for(r in n)s[r]=n[r](o);return s}}var bs=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,ms=new RegExp(bs.source,"g");function Pc(t){return function(){return t}}function Lc(t){return function(e){return t(e)+""}}function zc(t,e){var n=bs.lastIndex=ms.lastIndex=0,s,r,o,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=bs.exec(t))&&(r=ms.exec(e));)(o=r.index)>n&&(o=e.slice(n,o),i[a]?i[a]+=o:i[++a]=o),(s=s[0])===(r=r[0])?i[a]?i[a]+=r:i[++a]=r:(i[++a]=null,l.push({i:a,x:vt(s,r)})),n=ms.lastIndex;return n<e.length&&(o=e.slice(n),i[a]?i[a]+=o:i[++a]=o),i.length<2?l[0]?Lc(l[0].x):Pc(e):(e=l.length,function(c){for(var u=0,p;u<e;++u)i[(p=l[u]).i]=p.x(c);return i.join("")})}function Ts(t,e){var n=typeof e,s;return e==null||n==="boolean"?kn(e):(n==="number"?vt:n==="string"?(s=Ae(e))?(e=s,mo):zc:e instanceof Ae?mo:e instanceof Date?Ec:Ac(e)?Cc:Array.isArray(e)?Tc:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Oc:vt)(t,e)}function Rc(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var fo=180/Math.PI,Go={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function Jo(t,e,n,s,r,o){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:r,translateY:o,rotate:Math.atan2(e,t)*fo,skewX:Math.atan(l)*fo,scaleX:a,scaleY:i}}var pn;function Dc(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?Go:Jo(e.a,e.b,e.c,e.d,e.e,e.f)}function jc(t){return t==null||(pn||(pn=document.createElementNS("http://www.w3.org/2000/svg","g")),pn.setAttribute("transform",t),!(t=pn.transform.baseVal.consolidate()))?Go:(t=t.matrix,Jo(t.a,t.b,t.c,t.d,t.e,t.f))}function Yo(t,e,n,s){function r(c){return c.length?c.pop()+" ":""}function o(c,u,p,h,m,f){if(c!==p||u!==h){var $=m.push("translate(",null,e,null,n);f.push({i:$-4,x:vt(c,p)},{i:$-2,x:vt(u,h)})}else(p||h)&&m.push("translate("+p+e+h+n)}function a(c,u,p,h){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),h.push({i:p.push(r(p)+"rotate(",null,s)-2,x:vt(c,u)})):u&&p.push(r(p)+"rotate("+u+s)}function i(c,u,p,h){c!==u?h.push({i:p.push(r(p)+"skewX(",null,s)-2,x:vt(c,u)}):u&&p.push(r(p)+"skewX("+u+s)}function l(c,u,p,h,m,f){if(c!==p||u!==h){var $=m.push(r(m)+"scale(",null,",",null,")");f.push({i:$-4,x:vt(c,p)},{i:$-2,x:vt(u,h)})}else(p!==1||h!==1)&&m.push(r(m)+"scale("+p+","+h+")")}return function(c,u){var p=[],h=[];return c=t(c),u=t(u),o(c.translateX,c.translateY,u.translateX,u.translateY,p,h),a(c.rotate,u.rotate,p,h),i(c.skewX,u.skewX,p,h),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,p,h),c=u=null,function(m){for(var f=-1,$=h.length,g;++f<$;)p[(g=h[f]).i]=g.x(m);return p.join("")}}}var Gd=Yo(Dc,"px, ","px)","deg)"),Jd=Yo(jc,", ",")",")"),qc=1e-12;function $o(t){return((t=Math.exp(t))+1/t)/2}function Fc(t){return((t=Math.exp(t))-1/t)/2}function Ic(t){return((t=Math.exp(2*t))-1)/(t+1)}var Yd=(function t(e,n,s){function r(o,a){var i=o[0],l=o[1],c=o[2],u=a[0],p=a[1],h=a[2],m=u-i,f=p-l,$=m*m+f*f,g,x;if($<qc)x=Math.log(h/c)/e,g=function(A){return[i+A*m,l+A*f,c*Math.exp(e*A*x)]};else{var v=Math.sqrt($),b=(h*h-c*c+s*$)/(2*c*n*v),y=(h*h-c*c-s*$)/(2*h*n*v),w=Math.log(Math.sqrt(b*b+1)-b),M=Math.log(Math.sqrt(y*y+1)-y);x=(M-w)/e,g=function(A){var _=A*x,T=$o(w),k=c/(n*v)*(T*Ic(e*_+w)-Fc(w));return[i+k*m,l+k*f,c*T/$o(e*_+w)]}}return g.duration=Math.abs(x)*1e3*e/Math.SQRT2,g}return r.rho=function(o){var a=Math.max(.001,+o),i=a*a,l=i*i;return t(a,i,l)},r})(Math.SQRT2,2,4);function Qo(t){return function(e,n){var s=t((e=xs(e)).h,(n=xs(n)).h),r=ut(e.s,n.s),o=ut(e.l,n.l),a=ut(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var Qd=Qo(As),Zd=Qo(ut);function Zo(t){return function(e,n){var s=t((e=ys(e)).h,(n=ys(n)).h),r=ut(e.c,n.c),o=ut(e.l,n.l),a=ut(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var tm=Zo(As),em=Zo(ut);function ta(t){return(function e(n){n=+n;function s(r,o){var a=t((r=vs(r)).h,(o=vs(o)).h),i=ut(r.s,o.s),l=ut(r.l,o.l),c=ut(r.opacity,o.opacity);return function(u){return r.h=a(u),r.s=i(u),r.l=l(Math.pow(u,n)),r.opacity=c(u),r+""}}return s.gamma=e,s})(1)}var nm=ta(As),sm=ta(ut);function Wc(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function xn(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function le(t){return t=xn(Math.abs(t)),t?t[1]:NaN}function Bc(t,e){return function(n,s){for(var r=n.length,o=[],a=0,i=t[0],l=0;r>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),o.push(n.substring(r-=i,r+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return o.reverse().join(e)}}function Hc(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var Uc=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Ee(t){if(!(e=Uc.exec(t)))throw new Error("invalid format: "+t);var e;return new Es({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Ee.prototype=Es.prototype;function Es(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Es.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function Kc(t){t:for(var e=t.length,n=1,s=-1,r;n<e;++n)switch(t[n]){case".":s=r=n;break;case"0":s===0&&(s=n),r=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(r+1):t}var yn;function Vc(t,e){var n=xn(t,e);if(!n)return yn=void 0,t.toPrecision(e);var s=n[0],r=n[1],o=r-(yn=Math.max(-8,Math.min(8,Math.floor(r/3)))*3)+1,a=s.length;return o===a?s:o>a?s+new Array(o-a+1).join("0"):o>0?s.slice(0,o)+"."+s.slice(o):"0."+new Array(1-o).join("0")+xn(t,Math.max(0,e+o-1))[0]}function go(t,e){var n=xn(t,e);if(!n)return t+"";var s=n[0],r=n[1];return r<0?"0."+new Array(-r).join("0")+s:s.length>r+1?s.slice(0,r+1)+"."+s.slice(r+1):s+new Array(r-s.length+2).join("0")}var xo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:Wc,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>go(t*100,e),r:go,s:Vc,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function yo(t){return t}var vo=Array.prototype.map,bo=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function Xc(t){var e=t.grouping===void 0||t.thousands===void 0?yo:Bc(vo.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",r=t.decimal===void 0?".":t.decimal+"",o=t.numerals===void 0?yo:Hc(vo.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(p,h){p=Ee(p);var m=p.fill,f=p.align,$=p.sign,g=p.symbol,x=p.zero,v=p.width,b=p.comma,y=p.precision,w=p.trim,M=p.type;M==="n"?(b=!0,M="g"):xo[M]||(y===void 0&&(y=12),w=!0,M="g"),(x||m==="0"&&f==="=")&&(x=!0,m="0",f="=");var A=(h&&h.prefix!==void 0?h.prefix:"")+(g==="$"?n:g==="#"&&/[boxX]/.test(M)?"0"+M.toLowerCase():""),_=(g==="$"?s:/[%p]/.test(M)?a:"")+(h&&h.suffix!==void 0?h.suffix:""),T=xo[M],k=/[defgprs%]/.test(M);y=y===void 0?6:/[gprs]/.test(M)?Math.max(1,Math.min(21,y)):Math.max(0,Math.min(20,y));function P(N){var R=A,B=_,E,C,S;if(M==="c")B=T(N)+B,N="";else{N=+N;var O=N<0||1/N<0;if(N=isNaN(N)?l:T(Math.abs(N),y),w&&(N=Kc(N)),O&&+N==0&&$!=="+"&&(O=!1),R=(O?$==="("?$:i:$==="-"||$==="("?"":$)+R,B=(M==="s"&&!isNaN(N)&&yn!==void 0?bo[8+yn/3]:"")+B+(O&&$==="("?")":""),k){for(E=-1,C=N.length;++E<C;)if(S=N.charCodeAt(E),48>S||S>57){B=(S===46?r+N.slice(E+1):N.slice(E))+B,N=N.slice(0,E);break}}}b&&!x&&(N=e(N,1/0));var L=R.length+N.length+B.length,q=L<v?new Array(v-L+1).join(m):"";switch(b&&x&&(N=e(q+N,q.length?v-B.length:1/0),q=""),f){case"<":N=R+N+B+q;break;case"=":N=R+q+N+B;break;case"^":N=q.slice(0,L=q.length>>1)+R+N+B+q.slice(L);break;default:N=q+R+N+B;break}return o(N)}return P.toString=function(){return p+""},P}function u(p,h){var m=Math.max(-8,Math.min(8,Math.floor(le(h)/3)))*3,f=Math.pow(10,-m),$=c((p=Ee(p),p.type="f",p),{suffix:bo[8+m/3]});return function(g){return $(f*g)}}return{format:c,formatPrefix:u}}var hn,Os,ea;Gc({thousands:",",grouping:[3],currency:["$",""]});function Gc(t){return hn=Xc(t),Os=hn.format,ea=hn.formatPrefix,hn}function Jc(t){return Math.max(0,-le(Math.abs(t)))}function Yc(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(le(e)/3)))*3-le(Math.abs(t)))}function Qc(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,le(e)-le(t))+1}function na(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function Zc(t){return function(){return t}}function tu(t){return+t}var wo=[0,1];function re(t){return t}function ws(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:Zc(isNaN(e)?NaN:.5)}function eu(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function nu(t,e,n){var s=t[0],r=t[1],o=e[0],a=e[1];return r<s?(s=ws(r,s),o=n(a,o)):(s=ws(s,r),o=n(o,a)),function(i){return o(s(i))}}function su(t,e,n){var s=Math.min(t.length,e.length)-1,r=new Array(s),o=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)r[a]=ws(t[a],t[a+1]),o[a]=n(e[a],e[a+1]);return function(i){var l=ec(t,i,1,s)-1;return o[l](r[l](i))}}function sa(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function ra(){var t=wo,e=wo,n=Ts,s,r,o,a=re,i,l,c;function u(){var h=Math.min(t.length,e.length);return a!==re&&(a=eu(t[0],t[h-1])),i=h>2?su:nu,l=c=null,p}function p(h){return h==null||isNaN(h=+h)?o:(l||(l=i(t.map(s),e,n)))(s(a(h)))}return p.invert=function(h){return a(r((c||(c=i(e,t.map(s),vt)))(h)))},p.domain=function(h){return arguments.length?(t=Array.from(h,tu),u()):t.slice()},p.range=function(h){return arguments.length?(e=Array.from(h),u()):e.slice()},p.rangeRound=function(h){return e=Array.from(h),n=Rc,u()},p.clamp=function(h){return arguments.length?(a=h?!0:re,u()):a!==re},p.interpolate=function(h){return arguments.length?(n=h,u()):n},p.unknown=function(h){return arguments.length?(o=h,p):o},function(h,m){return s=h,r=m,u()}}function ru(){return ra()(re,re)}function ou(t,e,n,s){var r=lc(t,e,n),o;switch(s=Ee(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(o=Yc(r,a))&&(s.precision=o),ea(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(o=Qc(r,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=o-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(o=Jc(r))&&(s.precision=o-(s.type==="%")*2);break}}return Os(s)}function au(t){var e=t.domain;return t.ticks=function(n){var s=e();return $s(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var r=e();return ou(r[0],r[r.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),r=0,o=s.length-1,a=s[r],i=s[o],l,c,u=10;for(i<a&&(c=a,a=i,i=c,c=r,r=o,o=c);u-- >0;){if(c=gs(a,i,n),c===l)return s[r]=a,s[o]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Pe(){var t=ru();return t.copy=function(){return sa(t,Pe())},na.apply(t,arguments),au(t)}function iu(t,e){t=t.slice();var n=0,s=t.length-1,r=t[n],o=t[s],a;return o<r&&(a=n,n=s,s=a,a=r,r=o,o=a),t[n]=e.floor(r),t[s]=e.ceil(o),t}function _o(t){return Math.log(t)}function ko(t){return Math.exp(t)}function lu(t){return-Math.log(-t)}function cu(t){return-Math.exp(-t)}function uu(t){return isFinite(t)?+("1e"+t):t<0?0:t}function pu(t){return t===10?uu:t===Math.E?Math.exp:e=>Math.pow(t,e)}function hu(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function Mo(t){return(e,n)=>-t(-e,n)}function du(t){let e=t(_o,ko),n=e.domain,s=10,r,o;function a(){return r=hu(s),o=pu(s),n()[0]<0?(r=Mo(r),o=Mo(o),t(lu,cu)):t(_o,ko),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],u=l[l.length-1],p=u<c;p&&([c,u]=[u,c]);let h=r(c),m=r(u),f,$,g=i==null?10:+i,x=[];if(!(s%1)&&m-h<g){if(h=Math.floor(h),m=Math.ceil(m),c>0){for(;h<=m;++h)for(f=1;f<s;++f)if($=h<0?f/o(-h):f*o(h),!($<c)){if($>u)break;x.push($)}}else for(;h<=m;++h)for(f=s-1;f>=1;--f)if($=h>0?f/o(-h):f*o(h),!($<c)){if($>u)break;x.push($)}x.length*2<g&&(x=$s(c,u,g))}else x=$s(h,m,Math.min(m-h,g)).map(o);return p?x.reverse():x},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Ee(l)).precision==null&&(l.trim=!0),l=Os(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return u=>{let p=u/o(Math.round(r(u)));return p*s<s-.5&&(p*=s),p<=c?l(u):""}},e.nice=()=>n(iu(n(),{floor:i=>o(Math.floor(r(i))),ceil:i=>o(Math.ceil(r(i)))})),e}function Ps(){let t=du(ra()).domain([1,10]);return t.copy=()=>sa(t,Ps()).base(t.base()),na.apply(t,arguments),t}var Ne=Math.PI,_s=2*Ne,Kt=1e-6,mu=_s-Kt;function oa(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function fu(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return oa;let n=10**e;return function(s){this._+=s[0];for(let r=1,o=s.length;r<o;++r)this._+=Math.round(arguments[r]*n)/n+s[r]}}function aa(t,e,n,s){return t===n&&e===s}function $u(t){let e=Math.floor(t);if(!(e<=15))return aa;let n=10**e,s=function(r){return Math.round(r*n)};return function(r,o,a,i){return s(r)===s(a)&&s(o)===s(i)}}var Ls=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?oa:fu(t),this._equal=t==null?aa:$u(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,r,o){this._append`C${+t},${+e},${+n},${+s},${this._x1=+r},${this._y1=+o}`}arcTo(t,e,n,s,r){if(t=+t,e=+e,n=+n,s=+s,r=+r,r<0)throw new Error(`negative radius: ${r}`);let o=this._x1,a=this._y1,i=n-t,l=s-e,c=o-t,u=a-e,p=c*c+u*u;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(p>Kt)if(!(Math.abs(u*i-l*c)>Kt)||!r)this._append`L${this._x1=t},${this._y1=e}`;else{let h=n-o,m=s-a,f=i*i+l*l,$=h*h+m*m,g=Math.sqrt(f),x=Math.sqrt(p),v=r*Math.tan((Ne-Math.acos((f+p-$)/(2*g*x)))/2),b=v/x,y=v/g;Math.abs(b-1)>Kt&&this._append`L${t+b*c},${e+b*u}`,this._append`A${r},${r},0,0,${+(u*h>c*m)},${this._x1=t+y*i},${this._y1=e+y*l}`}}arc(t,e,n,s,r,o){if(t=+t,e=+e,n=+n,o=!!o,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,u=1^o,p=o?s-r:r-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Kt||Math.abs(this._y1-c)>Kt)&&this._append`L${l},${c}`,!!n){if(p<0&&(p=p%_s+_s),p>mu)this._append`A${n},${n},0,1,${u},${t-a},${e-i}A${n},${n},0,1,${u},${this._x1=l},${this._y1=c}`;else if(p>Kt){let h=t+n*Math.cos(r),m=e+n*Math.sin(r);if(p>=Ne&&this._equal(l,c,h,m)){p/=2;let f=s+p;this._append`A${n},${n},0,${+(p>=Ne)},${u},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(p>=Ne)},${u},${this._x1=h},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function gu(){return new Ls}gu.prototype=Ls.prototype;function rt(t){return function(){return t}}var xu=Math.cos,ks=Math.sin,ue=Math.sqrt,So=1e-12,vn=Math.PI,rm=vn/2,ia=2*vn;function la(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new Ls(e)}var om=Array.prototype.slice;function ca(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function ua(t){this._context=t}ua.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function zs(t){return new ua(t)}function pa(t){return t[0]}function ha(t){return t[1]}function Le(t,e){var n=rt(!0),s=null,r=zs,o=null,a=la(i);t=typeof t=="function"?t:t===void 0?pa:rt(t),e=typeof e=="function"?e:e===void 0?ha:rt(e);function i(l){var c,u=(l=ca(l)).length,p,h=!1,m;for(s==null&&(o=r(m=a())),c=0;c<=u;++c)!(c<u&&n(p=l[c],c,l))===h&&((h=!h)?o.lineStart():o.lineEnd()),h&&o.point(+t(p,c,l),+e(p,c,l));if(m)return o=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:rt(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:rt(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:rt(!!l),i):n},i.curve=function(l){return arguments.length?(r=l,s!=null&&(o=r(s)),i):r},i.context=function(l){return arguments.length?(l==null?s=o=null:o=r(s=l),i):s},i}function da(t,e,n){var s=null,r=rt(!0),o=null,a=zs,i=null,l=la(c);t=typeof t=="function"?t:t===void 0?pa:rt(+t),e=typeof e=="function"?e:rt(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?ha:rt(+n);function c(p){var h,m,f,$=(p=ca(p)).length,g,x=!1,v,b=new Array($),y=new Array($);for(o==null&&(i=a(v=l())),h=0;h<=$;++h){if(!(h<$&&r(g=p[h],h,p))===x)if(x=!x)m=h,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=h-1;f>=m;--f)i.point(b[f],y[f]);i.lineEnd(),i.areaEnd()}x&&(b[h]=+t(g,h,p),y[h]=+e(g,h,p),i.point(s?+s(g,h,p):b[h],n?+n(g,h,p):y[h]))}if(v)return i=null,v+""||null}function u(){return Le().defined(r).curve(a).context(o)}return c.x=function(p){return arguments.length?(t=typeof p=="function"?p:rt(+p),s=null,c):t},c.x0=function(p){return arguments.length?(t=typeof p=="function"?p:rt(+p),c):t},c.x1=function(p){return arguments.length?(s=p==null?null:typeof p=="function"?p:rt(+p),c):s},c.y=function(p){return arguments.length?(e=typeof p=="function"?p:rt(+p),n=null,c):e},c.y0=function(p){return arguments.length?(e=typeof p=="function"?p:rt(+p),c):e},c.y1=function(p){return arguments.length?(n=p==null?null:typeof p=="function"?p:rt(+p),c):n},c.lineX0=c.lineY0=function(){return u().x(t).y(e)},c.lineY1=function(){return u().x(t).y(n)},c.lineX1=function(){return u().x(s).y(e)},c.defined=function(p){return arguments.length?(r=typeof p=="function"?p:rt(!!p),c):r},c.curve=function(p){return arguments.length?(a=p,o!=null&&(i=a(o)),c):a},c.context=function(p){return arguments.length?(p==null?o=i=null:i=a(o=p),c):o},c}var am=yu(zs);function ma(t){this._curve=t}ma.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function yu(t){function e(n){return new ma(t(n))}return e._curve=t,e}var im=ue(3),vu=ue(1/3),lm=vu*2,fa=ks(vn/10)/ks(7*vn/10),cm=ks(ia/10)*fa,um=-xu(ia/10)*fa,pm=ue(3),hm=ue(3),dm=ue(3)/2,bu=1/ue(12),mm=(bu/2+1)*3;function zt(){}function bn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function Rs(t){this._context=t}Rs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:bn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:bn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function wu(t){this._context=t}wu.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:bn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function _u(t){this._context=t}_u.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:bn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function $a(t,e){this._basis=new Rs(t),this._beta=e}$a.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],r=e[0],o=t[n]-s,a=e[n]-r,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*o),this._beta*e[i]+(1-this._beta)*(r+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var fm=(function t(e){function n(s){return e===1?new Rs(s):new $a(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function wn(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function Ds(t,e){this._context=t,this._k=(1-e)/6}Ds.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:wn(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:wn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var $m=(function t(e){function n(s){return new Ds(s,e)}return n.tension=function(s){return t(+s)},n})(0);function js(t,e){this._context=t,this._k=(1-e)/6}js.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:wn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var gm=(function t(e){function n(s){return new js(s,e)}return n.tension=function(s){return t(+s)},n})(0);function qs(t,e){this._context=t,this._k=(1-e)/6}qs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:wn(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var xm=(function t(e){function n(s){return new qs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Fs(t,e,n){var s=t._x1,r=t._y1,o=t._x2,a=t._y2;if(t._l01_a>So){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,r=(r*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>So){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,u=3*t._l23_a*(t._l23_a+t._l12_a);o=(o*c+t._x1*t._l23_2a-e*t._l12_2a)/u,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/u}t._context.bezierCurveTo(s,r,o,a,t._x2,t._y2)}function ga(t,e){this._context=t,this._alpha=e}ga.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Fs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var ym=(function t(e){function n(s){return e?new ga(s,e):new Ds(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function xa(t,e){this._context=t,this._alpha=e}xa.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Fs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var vm=(function t(e){function n(s){return e?new xa(s,e):new js(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ya(t,e){this._context=t,this._alpha=e}ya.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Fs(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var bm=(function t(e){function n(s){return e?new ya(s,e):new qs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ku(t){this._context=t}ku.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function No(t){return t<0?-1:1}function Co(t,e,n){var s=t._x1-t._x0,r=e-t._x1,o=(t._y1-t._y0)/(s||r<0&&-0),a=(n-t._y1)/(r||s<0&&-0),i=(o*r+a*s)/(s+r);return(No(o)+No(a))*Math.min(Math.abs(o),Math.abs(a),.5*Math.abs(i))||0}function Ao(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function fs(t,e,n){var s=t._x0,r=t._y0,o=t._x1,a=t._y1,i=(o-s)/3;t._context.bezierCurveTo(s+i,r+i*e,o-i,a-i*n,o,a)}function Ms(t){this._context=t}Ms.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:fs(this,this._t0,Ao(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,fs(this,Ao(this,n=Co(this,t,e)),n);break;default:fs(this,this._t0,n=Co(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Mu(t){this._context=new va(t)}(Mu.prototype=Object.create(Ms.prototype)).point=function(t,e){Ms.prototype.point.call(this,e,t)};function va(t){this._context=t}va.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,r,o){this._context.bezierCurveTo(e,t,s,n,o,r)}};function Su(t){this._context=t}Su.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=To(t),r=To(e),o=0,a=1;a<n;++o,++a)this._context.bezierCurveTo(s[0][o],r[0][o],s[1][o],r[1][o],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function To(t){var e,n=t.length-1,s,r=new Array(n),o=new Array(n),a=new Array(n);for(r[0]=0,o[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)r[e]=1,o[e]=4,a[e]=4*t[e]+2*t[e+1];for(r[n-1]=2,o[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=r[e]/o[e-1],o[e]-=s,a[e]-=s*a[e-1];for(r[n-1]=a[n-1]/o[n-1],e=n-2;e>=0;--e)r[e]=(a[e]-r[e+1])/o[e];for(o[n-1]=(t[n]+r[n-1])/2,e=0;e<n-1;++e)o[e]=2*t[e+1]-r[e+1];return[r,o]}function Nu(t,e){this._context=t,this._t=e}Nu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};function z(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):Cu(t,e)).replace("-","−").replace("e-","e−")}function Cu(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function Mn(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return z(t)}function ba(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:r,rows:o,columns:a}=t[e[0]],i=a??Array.from({length:s[1]},(l,c)=>c);n.push([e[0],...i]);for(let l=0;l<s[0];l++)n.push([o?.[l]??l,...Array.from({length:s[1]},(c,u)=>r[l*s[1]+u])])}else{let s=Math.max(0,...e.map(r=>t[r].shape.length));n.push(["array",...Array.from({length:s},(r,o)=>`index ${o}`),"value"]);for(let r of e){let{shape:o,data:a}=t[r];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=o.length-1,u=i;c>=0;c--)l[c]=u%o[c],u=Math.floor(u/o[c]);n.push([r,...l,a[i]])}}}return n.map(s=>s.map(Au).join(",")).join(`\r
`)+`\r
`}function Au(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var V={left:66,right:22,top:10,bottom:42};function Ct({series:t,label:e,xLabel:n,yLabel:s,logX:r,logY:o,marks:a=[],height:i=260,xMin:l,yMin:c,says:u=z}){let[p,h]=Q(),m=X(),[f,$]=j(null),g=t.map(k=>({...k,points:k.x.map((P,N)=>[P,k.y[N]]).filter(([P,N])=>Nt(P,r)&&Nt(N,o))})),x=g.flatMap(k=>k.points.map(([P])=>P)).concat(a.map(k=>k.x).filter(k=>Nt(k,r))),v=g.flatMap(k=>[...k.points.map(([,P])=>P),...k.low??[],...k.high??[]]).filter(k=>Nt(k,o)),b=Is(x,r,[V.left,Math.max(h-V.right,V.left+10)],l),y=Is(v,o,[i-V.bottom,V.top],c),w=Le().defined(([k,P])=>Nt(k,r)&&Nt(P,o)).x(([k])=>b(k)).y(([,k])=>y(k)),M=[...new Set(x)].sort((k,P)=>k-P),A=k=>{let P=k.clientX-k.currentTarget.getBoundingClientRect().left;M.length&&$(M.reduce((N,R)=>Math.abs(b(R)-P)<Math.abs(b(N)-P)?R:N))},_=k=>{let P={ArrowRight:1,ArrowLeft:-1}[k.key];!P||!M.length||(k.preventDefault(),$(M[Math.max(0,Math.min(M.length-1,(f===null?-1:M.indexOf(f))+P))]))},T=f===null?[]:g.map((k,P)=>({name:k.name,i:P,y:k.points.find(([N])=>N===f)?.[1]})).filter(k=>k.y!==void 0);return d`<figure class="chart" ref=${p}>
    ${t.length>1&&d`<ul class="keys">${t.map((k,P)=>d`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${k.class??yt[P%6]} stroke-dasharray=${Me[P%6]} /></svg>${k.name}</li>`)}</ul>`}
    ${h>0&&d`<svg width=${h} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${Tu(g,n,u)}`} aria-describedby=${m}
      onPointerMove=${A} onPointerLeave=${()=>$(null)} onKeyDown=${_} onBlur=${()=>$(null)}>
      <${_a} x=${b} y=${y} logX=${r} logY=${o} xLabel=${n} yLabel=${s} width=${h} height=${i} says=${u} />
      ${a.map(k=>Nt(k.x,r)&&d`<g class="mark"><line x1=${b(k.x)} x2=${b(k.x)} y1=${V.top} y2=${i-V.bottom} />
        <text x=${b(k.x)+4} y=${V.top+10}>${k.name}</text></g>`)}
      ${g.map((k,P)=>d`<g>
        ${k.low&&d`<path class=${`band ${k.class??yt[P%6]}`} d=${da().x((N,R)=>b(k.x[R])).y0((N,R)=>y(k.low[R])).y1((N,R)=>y(k.high[R]))(k.x)} />`}
        <path class=${`curve ${k.class??yt[P%6]}`} stroke-dasharray=${Me[P%6]} d=${w(k.points)} />
        ${k.points.length<2&&k.points.map(([N,R])=>d`<circle class=${`dot ${k.class??yt[P%6]}`} cx=${b(N)} cy=${y(R)} r="3" />`)}
      </g>`)}
      ${f!==null&&d`<line class="reading" x1=${b(f)} x2=${b(f)} y1=${V.top} y2=${i-V.bottom} />
        ${T.map(k=>d`<circle class=${`dot ${g[k.i].class??yt[k.i%6]}`} cx=${b(f)} cy=${y(k.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?d`<span class="hint">point, or use the arrow keys, to read numbers</span>`:d`${n} ${u(f)}: ${T.map((k,P)=>d`${P?" · ":""}${k.name} <b>${u(k.y)}</b>`)}`}</figcaption>
  </figure>`}var Nt=(t,e)=>Number.isFinite(t)&&(!e||t>0);function Is(t,e,n,s){let[r,o]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(r=Math.min(r,s)),r===o&&([r,o]=e?[r/2,o*2]:[r-.5,o+.5]);let a=(e?Ps():Pe()).domain([r,o]).range(n);return e&&o/r<1e3?a:a.nice()}function Tu(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function _a({x:t,y:e,logX:n,logY:s,xLabel:r,yLabel:o,width:a,height:i,says:l}){let c=(p,h,m)=>{let f=p.ticks(m);return h?f.filter($=>f.length<=m+2||Number.isInteger(Math.round(Math.log10($)*1e9)/1e9)):f},u=i-V.bottom;return d`<g class="axes">
    ${c(e,s,5).map(p=>d`<g><line x1=${V.left} x2=${a-V.right} y1=${e(p)} y2=${e(p)} /><text x=${V.left-7} y=${e(p)} dy="0.35em" text-anchor="end">${wa(p,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(p=>d`<g><line x1=${t(p)} x2=${t(p)} y1=${u} y2=${u+4} /><text x=${t(p)} y=${u+17} text-anchor="middle">${wa(p,l)}</text></g>`)}
    <text class="name" x=${(V.left+a-V.right)/2} y=${i-6} text-anchor="middle">${r}</text>
    <text class="name" transform=${`translate(13,${(V.top+u)/2}) rotate(-90)`} text-anchor="middle">${o}</text>
  </g>`}var wa=(t,e)=>Math.abs(t)>=1e4?Mn(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function ka({names:t,groups:e,label:n,yLabel:s,logY:r,height:o=240,says:a=z}){let[i,l]=Q(),c=Object.entries(e),u=c.flatMap(([,$])=>$).filter($=>Nt($,r)),p=Is(r?u:[...u,0],r,[o-V.bottom,V.top]),h=(l-V.left-V.right)/Math.max(t.length,1),m=Math.min(38,h*.72/c.length),f=r?o-V.bottom:p(0);return d`<figure class="chart" ref=${i}>
    ${c.length>1&&d`<ul class="keys">${c.map(([$],g)=>d`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${yt[g%6]} /></svg>${$}</li>`)}</ul>`}
    ${l>0&&d`<svg width=${l} height=${o} role="img" aria-label=${`${n}. ${c.map(([$,g])=>t.map((x,v)=>`${x} ${$} ${a(g[v])}`).join(", ")).join("; ")}`}>
      <${_a} x=${null} y=${p} logY=${r} xLabel="" yLabel=${s} width=${l} height=${o} says=${a} />
      ${t.map(($,g)=>d`<g>
        ${c.map(([x,v],b)=>Nt(v[g],r)&&d`<rect class=${yt[b%6]} rx="2" x=${V.left+(g+.5)*h-c.length*m/2+b*m} width=${m*.92}
          y=${Math.min(p(v[g]),f)} height=${Math.abs(f-p(v[g]))}><title>${`${$}, ${x}: ${a(v[g])}`}</title></rect>`)}
        <text class="tick" x=${V.left+(g+.5)*h} y=${o-V.bottom+17} text-anchor="middle">${$.length>h/6?`${$.slice(0,Math.max(2,Math.floor(h/6)-1))}…`:$}</text>
      </g>`)}
    </svg>`}
  </figure>`}function Dt({off:t,onClick:e,children:n,...s}){return d`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function nt({label:t,value:e,min:n,max:s,step:r,onChange:o,says:a=z,disabled:i}){let l=X();return d`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${r} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>o(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function tt({label:t,value:e,options:n,onChange:s}){let r=X();return d`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([o,a])=>d`<label><input type="radio" name=${r} value=${o} checked=${o===e}
        onChange=${()=>s(o)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function ot({label:t,value:e,options:n,onChange:s,hidden:r}){let o=X(),a=([i,l])=>Array.isArray(l)?d`<optgroup label=${i}>${l.map(a)}</optgroup>`:d`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return d`<div class="control">
    <label for=${o} class=${r?"unseen":""}>${t}</label>
    <select id=${o} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function ft({label:t,value:e,onChange:n}){return d`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function ht({label:t,value:e,onChange:n,live:s,lines:r,placeholder:o,spellcheck:a=!1,max:i}){let l=X(),[c,u]=j(null),p=()=>(c!==null&&c!==e&&n(c),u(null)),h={id:l,placeholder:o,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):u(m.target.value),onBlur:p,onKeyDown:m=>m.key==="Enter"&&(!r||m.ctrlKey||m.metaKey)&&p()};return d`<div class="control text"><label for=${l}>${t}</label>
    ${r?d`<textarea rows=${r} ...${h}></textarea>`:d`<input type="text" ...${h} />`}</div>`}function pe({label:t,value:e,step:n=.1,onChange:s,disabled:r}){let[o,a]=j(null),i=D(null),l=D(null),c=p=>Number(p.toFixed(6)),u=p=>{a(null);let h=Number(String(p).replace("−","-").replace(",","."));if(String(p).trim()!==""&&Number.isFinite(h)&&Math.abs(h)<=1e6)return s(c(h));l.current.setCustomValidity("a number from −1,000,000 to 1,000,000"),l.current.reportValidity(),setTimeout(()=>l.current?.setCustomValidity(""),2500)};return d`<input ref=${l} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${r}
    value=${o??String(e).replace("-","−")}
    onInput=${p=>a(p.target.value)}
    onBlur=${p=>o!==null&&u(p.target.value)}
    onKeyDown=${p=>{let h={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[p.key];p.key==="Enter"?u(p.target.value):p.key==="Escape"?a(null):h&&(p.preventDefault(),s(c(e+h*n)))}}
    onPointerDown=${p=>i.current={x:p.clientX,from:e,id:p.pointerId}}
    onPointerMove=${p=>{let h=i.current;!h||Math.abs(p.clientX-h.x)<4&&!h.moving||(h.moving=!0,p.target.setPointerCapture(h.id),s(c(h.from+Math.round((p.clientX-h.x)/4)*n)))}}
    onPointerUp=${()=>i.current=null}
    onPointerCancel=${()=>i.current=null} />`}function he(t,e,n,s=n){let r={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(r===void 0)return null;t.preventDefault();let o=e+r;return o<0||o>=n?e:o}var Eu=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, th button, :has(> svg))",Ou=`[data-unpictured], script, style, noscript, template, title, ${Eu}`;function Bs(t,e=""){let n=t.getBoundingClientRect(),[s,r]=[Math.ceil(n.width)+32,Math.ceil(n.height)+32],o={clips:0,defs:""},a=dt(Pu(t))??{fill:"#ffffff"},i=Z("g",{transform:`translate(${Re(16-n.left)},${Re(16-n.top)})`},Na(t,o));return`<?xml version="1.0" encoding="UTF-8"?>
${Z("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:s,height:r,viewBox:`0 0 ${s} ${r}`},`${Z("title",{},De(e)||" ")}${o.defs&&Z("defs",{},o.defs)}${Z("rect",{width:s,height:r,...a})}${i}`)}
`}async function Sa(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:r,naturalHeight:o}=s,a=Math.min(e,16e3/Math.max(r,o),Math.sqrt(2e8/(r*o))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(r*a),Math.round(o*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function Pu(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(dt(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function Na(t,e){if(t.matches(Ou))return"";let n=getComputedStyle(t),s=Number(n.opacity),r=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||r)return"";let o=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[o],l=a?i.map(p=>zu(t,n,p)).join(""):"",c={canvas:Fu,svg:Bu,img:Iu,input:Du}[t.localName],u=l;if(c)u+=a?c(t,n,o):"";else{t.localName==="mfrac"&&t.children.length===2&&(u+=ju(t,n,o)),t.localName==="msqrt"&&(u+=qu(t,n,o));let p=[...t.childNodes].map(h=>{if(h.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?Ru(h,n):"";let m=t.localName==="details"&&!t.open&&h.localName!=="summary";return h.nodeType!==Node.ELEMENT_NODE||m?"":Na(h,e)});u+=Lu(t,n,o,e,p.join(""))}return s<1&&u?Z("g",{opacity:s},u):u}function Lu(t,e,n,s,r){let o=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!r||!o||!a)return r;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=Z("clipPath",{id:i},Z("rect",l)),Z("g",{"clip-path":`url(#${i})`},r)}function zu(t,e,{left:n,top:s,width:r,height:o}){if(r<=0||o<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,o/2),i=(g,x)=>Z("rect",{x:n-g,y:s-g,width:r+2*g,height:o+2*g,rx:a?a+g:null,...x}),l=(g,x,v)=>i(v,{fill:"none",...dt(x,"stroke"),"stroke-width":g}),c=dt(e.backgroundColor),u=c?i(0,c):"",[p,h,m,f]=["Top","Right","Bottom","Left"].map(g=>({size:e[`border${g}Style`]==="none"?0:parseFloat(e[`border${g}Width`]),colour:e[`border${g}Color`]}));if([h,m,f].every(({size:g,colour:x})=>g===p.size&&x===p.colour))p.size>0&&dt(p.colour)&&(u+=l(p.size,p.colour,-p.size/2));else{let[g,x]=[n+r,s+o],v=[[p,n,s,g,s],[h,g,s,g,x],[m,n,x,g,x],[f,n,s,n,x]];for(let[{size:b,colour:y},w,M,A,_]of v){let T=b>0&&dt(y,"stroke");T&&(u+=Z("line",{x1:w,y1:M,x2:A,y2:_,...T,"stroke-width":b}))}}let $=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&$>0&&!t.matches(":focus")&&(u+=l($,e.outlineColor,parseFloat(e.outlineOffset)+$/2)),u}function Ru(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let r=document.createRange(),o=(c,u)=>(r.setStart(t,c),r.setEnd(t,u),[...r.getClientRects()].filter(p=>p.width>0&&p.height>0)),a=n.trimEnd().length,i=o(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Ma(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let u=n.codePointAt(c)>65535?2:1,p=o(c,c+u).at(-1),h=l.at(-1);p&&(!h||Math.abs(p.top-h.from.top)>p.height/2)?l.push({text:n.slice(c,c+u),from:p,to:p}):p?(h.text+=n.slice(c,c+u),/\S/.test(n[c])&&(h.to=p)):h&&(h.text+=n.slice(c,c+u)),c+=u}return l.map(c=>Ma(c.text,e,c.from,c.to)).join("")}function Ma(t,e,n,s){let o=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?o.toUpperCase():o,i=dt(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=Ca(e),u=a.length>1&&s.right>n.left?s.right-n.left:null,p=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return Z("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:u,lengthAdjust:u===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":p?"italic":null},De(a))}var Ws=new Map;function Ca(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!Ws.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:r}=n.measureText("x");Ws.set(e,{up:s,down:r})}return Ws.get(e)}function Du(t,e,n){let{up:s,down:r}=Ca(e),o=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return Z("text",{x:o,y:n.top+n.height/2+(s-r)/2,...dt(e.color),...a},De(t.value))}function ju(t,e,n){let[s,r]=[...t.children].map(i=>i.getBoundingClientRect()),o=(s.bottom+r.top)/2,a={...dt(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return Z("line",{x1:n.left+1,x2:n.right-1,y1:o,y2:o,...a})}function qu(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,r=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[r*.25,n.height*.54],[r*.6,n.height],[r,1],[n.width,1]].map(([i,l])=>`${Re(n.left+i)},${Re(n.top+l)}`).join(" ");return Z("polyline",{points:a,fill:"none",...dt(e.color,"stroke"),"stroke-width":1})}function Fu(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return Aa(t.toDataURL("image/png"),e,n);let[r,o]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let u=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===u;)c++;let[p,h]=[c<s.columns?r/2:0,i<s.rows-1?o/2:0];a+=Z("rect",{x:n.left+l*r,y:n.top+i*o,width:(c-l)*r+p,height:o+h,...dt(u)})}return Z("g",{"shape-rendering":"crispEdges"},a)}function Iu(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),Aa(s.toDataURL("image/png"),e,n)}var Aa=(t,e,{left:n,top:s,width:r,height:o})=>t.length<10?"":Z("image",{x:n,y:s,width:r,height:o,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),Ta={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},Wu=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function Bu(t,e,n){let[s,r]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),o=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:r,overflow:o};return Z("svg",a,[...t.childNodes].map(i=>Ea(i,Ta)).join(""))}function Ea(t,e){if(t.nodeType===Node.TEXT_NODE)return De(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!Wu.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let r={...e};for(let a of Object.keys(Ta)){delete s[a];let i=/^(fill|stroke)$/.test(a)?Hu(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=r[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let o=[...t.childNodes].map(a=>Ea(a,r)).join("");return Z(t.localName==="a"?"g":t.localName,s,o)}function Hu(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=dt(t);return e?e["fill-opacity"]?t:e.fill:"none"}function dt(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:Uu(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let r=n.slice(1,4).map(o=>Math.round(Number(o)).toString(16).padStart(2,"0")).join("");return{[e]:`#${r}`,[`${e}-opacity`]:s<1?s:null}}var ze=null;function Uu(t){ze??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),ze.clearRect(0,0,1,1),ze.fillStyle=t,ze.fillRect(0,0,1,1);let[e,n,s]=ze.getImageData(0,0,1,1).data;return`#${[e,n,s].map(r=>r.toString(16).padStart(2,"0")).join("")}`}function Z(t,e={},n=""){let s=`<${t}`;for(let[r,o]of Object.entries(e))o!=null&&o!==""&&(s+=` ${r}="${De(typeof o=="number"?Re(o):o)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var Re=t=>String(Math.round(t*100)/100),De=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function at({name:t,of:e,numbers:n,saves:s,ask:r,view:o,state:a,place:i}){let[l,c]=j(!1),[u,p]=j({text:"",error:!1}),[h,m]=j(!1),f=D(null),$=X(),g=w=>{c(!1),w&&f.current?.querySelector("button").focus()};W(()=>{if(!l)return;f.current.querySelector("[role=menuitem]").focus();let w=M=>f.current?.contains(M.target)||c(!1);return document.addEventListener("pointerdown",w),()=>document.removeEventListener("pointerdown",w)},[l]);let x=()=>Bs(e.current,t),v=[["Picture, SVG",async()=>je(t,"svg",new Blob([x()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>je(t,"png",await Sa(x()))],n&&["Numbers, CSV",async()=>je(t,"csv",new Blob([ba(await n())],{type:"text/csv;charset=utf-8"}))],n&&i!=="file"&&["Numbers, NPZ",async()=>je(t,"npz",await Ku(r,await n()))],s&&i!=="file"&&["This view, HTML",async()=>je(t,"html",await Xu(r,o,a,s()))],i==="page"&&["Copy a link",async()=>Vu(location.href)]].filter(Boolean),b=async w=>{m(!0),p({text:"",error:!1});try{p({text:await w(),error:!1}),g(!0)}catch(M){p({text:M.message,error:!0})}m(!1)};return d`<div class="menu" ref=${f} data-unpictured onKeyDown=${w=>{if(w.key==="Escape"&&l)return w.stopPropagation(),g(!0);if(!l){w.key==="ArrowDown"&&(w.preventDefault(),c(!0));return}let M=[...f.current.querySelectorAll("[role=menuitem]")],A=M.indexOf(document.activeElement);A>=0&&w.key!=="ArrowLeft"&&w.key!=="ArrowRight"&&M[he(w,A,M.length,1)??A].focus()}}
    onFocusOut=${w=>w.relatedTarget&&!f.current.contains(w.relatedTarget)&&g(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(l)} aria-controls=${l?$:null} onClick=${()=>c(!l)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${l&&d`<div id=${$} role="menu" aria-label="Export" aria-busy=${String(h)}>
      ${v.map(([w,M])=>d`<button role="menuitem" tabindex="-1" disabled=${h} onClick=${()=>b(M)}>${w}</button>`)}
      ${h&&d`<p class="waiting" role="none">saving …</p>`}
      ${u.error&&d`<p class="error" role="none">${u.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${u.text}</span>
  </div>`}function je(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,r=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(r),r.click(),r.remove(),setTimeout(()=>URL.revokeObjectURL(r.href),6e4),`${s} was saved`}async function Ku(t,e){let n=({shape:i,data:l})=>({shape:i,data:as(new Uint8Array(Float64Array.from(l,c=>c??NaN).buffer))}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:r,data:o,offset:a}=await t("npz",s);return new Blob([new Uint8Array(o,a)],{type:r.kind})}async function Vu(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function Xu(t,e,n,s){let r=await t("frame",{}),o=[...new Map(s.map(u=>[JSON.stringify(u),u])).values()],a=[],i=0;for(let u=0;u<o.length;u+=4){let p=o.slice(u,u+4);if((await Promise.all(p.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let $=m.packed instanceof Uint8Array?as(m.packed):m;a.push([...p[f],$]),i+=typeof $=="string"?$.length:JSON.stringify($).length}),i>r.max_answers)throw new Error(`a saved file must have at most ${r.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:r.version,date:l});return new Blob([r.before,c.replaceAll("<","\\u003c"),r.after],{type:"text/html;charset=utf-8"})}var Oa=new WeakMap;function Us(t,e,n,s,r=s){if(s===1&&r===1)return{data:t,rows:e,columns:n,down:s,right:r,at:null};let o=Oa.get(t);if(o?.down===s&&o.right===r)return o;let[a,i]=[Math.ceil(e/s),Math.ceil(n/r)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:r,at:new Uint32Array(a*i)};for(let c=0,u=0;c<e;c++)for(let p=0,h=Math.floor(c/s)*i,m=r;p<n;p++,u++){let[f,$]=[t[u]<0?-t[u]:t[u],l.data[h]<0?-l.data[h]:l.data[h]];f>$&&(l.data[h]=t[u],l.at[h]=u+1),--m===0&&(h++,m=r)}return Oa.set(t,l),l}function Cn(t,e,n,s,r,o,a=2048){let i=Us(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Ht(r).buffer),c=new ImageData(i.columns,i.rows),u=new Uint32Array(c.data.buffer);for(let p=0;p<u.length;p++)u[p]=l[rn(i.data[p],r,o)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(p,h)=>Ot(i.data[p*i.columns+h],r,o)}}var Hs=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],Sn=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Nn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>Sn(n,e).length));function La(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=Hs[0].least?s:Math.min(n-Nn(t,Hs[1]),600)}function _t(t){let{data:e,rows:n,columns:s,scale:r="weight",limit:o=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:u,onPoint:p,says:h,side:m=520}=t,f=ct(),$=D(null),g=X(),[x,v]=j(null),b=Math.max(Math.min(m/Math.max(n,s),56),.001),[y,w]=[b*s,b*n],M=Hs.find(({least:C})=>b>=C),A=M&&l&&Nn(l,M)-M.space>b,_=M&&i?Nn(i,M):0,T=M&&l?6+(A?Nn(l,M):M.space):0,k={fontSize:`${Math.min(M?.size,b)}px`};lt(()=>{Cn($.current,e,n,s,r,o)},[e,n,s,r,o,f]),W(()=>v(null),[n,s]);let P=C=>{let S=$.current.getBoundingClientRect(),[O,L]=[Math.floor((C.clientY-S.top)/S.height*n),Math.floor((C.clientX-S.left)/S.width*s)];return O>=0&&L>=0&&O<n&&L<s?[O,L]:null},N=C=>(v(C),p?.(...C??[null,null])),R=h??((C,S)=>`${i?.[C]??`row ${C}`} to ${l?.[S]??`column ${S}`}: ${z(e[C*s+S])}`),B=C=>{let[S,O]=x??c??[0,0],L=C.shiftKey?Math.max(1,Math.round(s/16)):1,q={ArrowUp:[-L,0],ArrowDown:[L,0],ArrowLeft:[0,-L],ArrowRight:[0,L],Home:[0,-O],End:[0,s-1-O]}[C.key];q?(C.preventDefault(),N(x?[Pa(S+q[0],n),Pa(O+q[1],s)]:[S,O])):(C.key==="Enter"||C.key===" ")&&x&&(C.preventDefault(),u?.(S,O))},E=(C,S)=>C&&d`<rect class=${S} x=${_+C[1]*b} y=${T+C[0]*b} width=${Math.max(b,2)} height=${Math.max(b,2)} />`;return d`<div class="heatmap" style=${{width:`${_+y}px`,height:`${T+w}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${g}
    onKeyDown=${B} onBlur=${()=>N(null)} onPointerLeave=${()=>N(null)}
    onPointerMove=${C=>N(P(C))}
    onClick=${C=>P(C)&&u?.(...P(C))}>
    <canvas ref=${$} style=${{left:`${_}px`,top:`${T}px`,width:`${y}px`,height:`${w}px`}}></canvas>
    <svg width=${_+y} height=${T+w} aria-hidden="true">
      ${M&&i?.map((C,S)=>d`<text class="tick" style=${k} x=${_-6} y=${T+(S+.5)*b} dy="0.35em" text-anchor="end">${Sn(C,M)}</text>`)}
      ${M&&l?.map((C,S)=>A?d`<text class="tick" style=${k} transform=${`translate(${_+(S+.5)*b},${T-6}) rotate(-90)`} dy="0.35em">${Sn(C,M)}</text>`:d`<text class="tick" style=${k} x=${_+(S+.5)*b} y=${T-6} text-anchor="middle">${Sn(C,M)}</text>`)}
      ${E(c,"pinned")}${E(x,"cursor")}
    </svg>
    <span id=${g} class="unseen" aria-live="polite">${x?R(...x):c?R(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var Pa=(t,e)=>Math.max(0,Math.min(e-1,t));function de({scale:t="weight",limit:e=1,label:n="weight"}){let s=ct(),r=D(null);return lt(()=>{let o=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>o+(e-o)*l/127);Cn(r.current,a,1,128,t,e)},[t,e,s]),d`<div class="legend"><span>${t==="signed"?z(-e,2):0}</span><canvas ref=${r} aria-hidden="true"></canvas><span>${z(e,2)}</span><span class="of">${n}</span></div>`}function ja({ask:t,row:e,document:n,state:s,place:r}){let[o,a]=j(!1),{response:i,error:l,waiting:c}=G(t,"claim",{id:e.id,run:o}),u=D(null),p=i?.id===e.id?i:null,h=p?.verdict??e.verdict,m=p!==null&&p.verdict===null;return d`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!p?.verdict)}>
    <div ref=${u}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${ip} verdict=${h} /><span class="note">${m?"a run decides":qe(h).about}</span>
        <${at} name=${`claim-${e.id}`} of=${u} numbers=${p?.chart?()=>ap(p.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${r} /></div>
      ${p?.verdict&&!p.verdict.startsWith(p.expected)&&d`<p class="error">The catalogue expects: ${p.expected}.</p>`}
    </header>
    ${p?d`<${Yt} class="claims-question-asked" text=${p.asks} />`:d`<p class="claims-question-asked">${e.asks}</p>`}
    <${I} error=${l} waiting=${c&&!o}>checking …</${I}>
    ${m&&d`<${Ju} claim=${p} running=${o&&c} place=${r} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${p&&d`<div class="claims-versions">${p.versions.filter(f=>f.role!=="twin").map(f=>d`<${qa} version=${f} />`)}</div>
      ${p.chart&&d`<${sp} chart=${p.chart} />`}`}</div>
    ${p&&d`<${Gu} claim=${p} ask=${t} place=${r} />`}
  </article>`}function Gu({claim:t,ask:e,place:n}){let s=t.versions.find(r=>r.role==="twin");return d`
    ${t.see&&n==="page"&&d`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&d`<section class="claims-box">
      <h3>Try an answer</h3><${Qu} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${Yt} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&d`<dl class="claims-letters">${t.quantities.map(([r,o])=>d`<${Yt} tag="dt" text=${r} /><${Yt} tag="dd" text=${o} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${qa} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Yt} text=${t.method} />
      ${t.source&&d`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&d`<p>In the code: ${t.code.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</p>`}
      ${t.verdict&&d`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var za=6;function qa({version:t}){let e=[...t.findings].sort((s,r)=>s.holds-r.holds),n=e.length>za+1?za:e.length;return d`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${Yt} class="claims-text" text=${t.text} />
    ${t.formula&&d`<${Yt} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&d`<${Ra} findings=${e.slice(0,n)} />`}
    ${n<e.length&&d`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${Ra} findings=${e.slice(n)} /></details>`}
  </section>`}var Ra=({findings:t})=>d`<ul class="claims-findings">${t.map(e=>d`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function Ju({claim:t,running:e,place:n,onRun:s,onStop:r}){let[o,a]=j(0);return W(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),d`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?d`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(o,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(o)} s</span>
          <button onClick=${r}>Stop</button></div>`:n==="file"?d`<${Ut} place=${n} what="run it" />`:d`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function Yt({text:t,tag:e="div",class:n,label:s}){let r=D(null);return lt(()=>{if(r.current.innerHTML=t,!s)return;r.current.scrollWidth>r.current.clientWidth+1?r.current.tabIndex=0:r.current.removeAttribute("tabindex")},[t,s]),d`<${e} ref=${r} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var Yu={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function Qu({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return d`<div class="claims-questions">
    ${n.map(s=>{let r=e.filter(o=>o.question===s);return d`<div class="claims-question" key=${s} data-question=${s}>
        <p>${r[0].text}</p>
        ${r.map((o,a)=>d`<${Zu} key=${`${s} ${o.part}`} ask=${t} exercise=${o} tells=${o.how!==r[a-1]?.how} />`)}
      </div>`})}
    <${np} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var Ks=new Map;function Zu({ask:t,exercise:e,tells:n}){let{question:s,part:r,asks:o,kind:a,how:i,choices:l,examples:c}=e,u=X(),p=`${s} ${r}`,[h,m]=j(Ks.get(p)??""),[f,$]=j(Ks.get(p)??null),{response:g,error:x,waiting:v,of:b}=G(t,"answer",f===null?null:{question:s,part:r,answer:f}),y=A=>{m(A),A.trim()&&(Ks.set(p,A.trim()),$(A.trim()))},w=a==="truth"?[["true","true"],["false","false"]]:a==="choice"?Object.entries(l):[],M=f!==null&&h.trim()===f&&b===JSON.stringify({question:s,part:r,answer:f});return d`<div class="claims-try" data-part=${r}>
    ${o&&d`<p class="claims-asks" id=${`${u}-asks`}>${o}</p>`}
    ${a==="select"&&d`<ul>${Object.entries(l).map(([A,_])=>d`<li><b>${A}</b> ${_}</li>`)}</ul>`}
    ${a==="text"?d`<p class="note">Write ${i}: hand it in by a file, for regard grade.</p>`:w.length?d`<div class=${`claims-options ${a}`} role="group" aria-label=${o||"Your answer"}>${w.map(([A,_])=>d`<button aria-pressed=${String(f===A)} onClick=${()=>y(A)}>
            ${a==="choice"?d`<b>${A}</b> ${_}`:_}
          </button>`)}</div>`:d`<form class="claims-form" onSubmit=${A=>(A.preventDefault(),y(h))}>
          <label class="unseen" for=${u}>${`Your answer${o?`: ${o}`:""}`}</label>
          <input id=${u} type="text" value=${h} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${u}-how`}
            placeholder="your answer" onInput=${A=>m(A.target.value)} />
          <button class="main" type="submit" disabled=${!h.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${u}-how`}>Write ${i}.</p>
        ${c.length>0&&d`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(A=>d`<button class="claims-example" onClick=${()=>y(A)}>${A}</button>`)}</p>`}`}
    <${I} error=${x} waiting=${v}>marking …</${I}>
    <div role="status" aria-live="polite">${M&&!x&&d`<${tp} mark=${g} />`}</div>
  </div>`}function tp({mark:t}){let[e,n]=Yu[t.word],s=t.counterexample,r=Object.entries(s?.breakdown??{});return d`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
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
  </div>`}var ep={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function np({kinds:t}){let e=Object.entries(ep).filter(([n])=>t.has(n));return e.length?d`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>d`<dt>${n}</dt><dd>${s.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function sp({chart:t}){return d`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&d`<${Ct} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${Fa(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&d`<${ka} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${rp} chart=${t} />`}
    ${t.kind==="matrices"&&d`<${op} chart=${t} />`}
  </div>`}var Fa=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,r])=>({name:s,x:t,y:r,low:n?.[s]?.[0],high:n?.[s]?.[1]})),Ia=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function rp({chart:t}){return d`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>d`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>d`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>d`<td class="number">${z(s[n])}</td>`)}</tr>`)}</tbody>
  </table></div>`}function op({chart:t}){let[e,n]=j(null),[s,r]=Q(),o=K(()=>Ia(t),[t]),{signed:a,limit:i}=t,l=o.length===1?1:Math.max(2,Math.floor((r+24)/(o.length>4?164:250))),c=Math.min(o.length===1?420:260,(r-24*(l-1))/l-(t.rows?30:0)),u=a?"signed":"weight",p=(m,f)=>m??(f<=12?Array.from({length:f},($,g)=>String(g+1)):void 0),h=(m,f,$)=>{let[g,x]=[t.rows?.[f]??f+1,t.columns?.[$]??$+1];return`${m.name}, ${t.row_label} ${g}, ${t.column_label} ${x}: ${z(m.values[f*m.columns+$])}`};return d`<div ref=${s}>
    ${r>0&&d`<div class="claims-panels">${o.map(m=>d`<figure>
      <figcaption>${m.name}</figcaption>
      <${_t} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${u} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${p(t.rows,m.rows)} columnNames=${p(t.columns,m.columns)}
        says=${(f,$)=>h(m,f,$)} onPoint=${(f,$)=>n(f===null?null:h(m,f,$))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${de} scale=${u} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function ap(t){if(t.kind==="matrices"){let n=({rows:s,columns:r,values:o})=>({shape:[s,r],data:o,rows:t.rows,columns:t.columns});return Object.fromEntries(Ia(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...Da(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:r,high:o}of Fa(t))e.push([n,s],...r?[[`${n}, low`,r],[`${n}, high`,o]]:[]);return{[t.y_label]:Da(e)}}var Da=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),Vs={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},qe=t=>Vs[t.split(":")[0]],Wa=({verdict:t})=>d`<span class=${`claims-sign claims-${qe(t).kind}`} role="img" aria-label=${t} title=${t}>${qe(t).sign}</span>`,ip=({verdict:t})=>d`<span class=${`claims-badge claims-${qe(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${qe(t).sign}</span>${t}
  </span>`;function lp(t){let{response:e,error:n,waiting:s}=G(t.ask,"catalogue",{});return e?d`<${cp} ...${t} catalogue=${e} />`:d`<${I} error=${n} waiting=${s}>reading the catalogue …</${I}>`}function cp(t){let{ask:e,state:n,place:s,catalogue:{rows:r,documents:o}}=t,a=r.find(({id:l})=>l===n.claim),i=a?d`<${ja} key=${a.id} ask=${e} row=${a} document=${o[a.document]} state=${n} place=${s} />`:d`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return d`<div class="claims">${s==="file"?i:d`<${up} ...${t}>${i}<//>`}</div>`}function up({state:t,change:e,catalogue:n,children:s}){let{documents:r}=n,o=K(()=>mp(n),[n]),a=fp(o,t.search),i=(f,$)=>!t[$]||f[$]===t[$],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),u=l.filter(f=>i(f,"verdict")),p=([f,$])=>[f,`${$} (${c.filter(g=>g.document===f).length})`],h=dp(t.claim);return d`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!u.length||(f.key==="Enter"&&e({claim:u[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),h.current.querySelector("button").focus()))}}>
        <${ht} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${ot} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(r).map(p)]} />
      </div>
      <${pp} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${hp} rows=${u} documents=${r} current=${t.claim} list=${h}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function pp({rows:t,verdict:e,onChange:n}){let s=Object.entries(Vs).filter(([r])=>r!=="unsettled");return d`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([r,{sign:o,kind:a}])=>d`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===r)}
      onClick=${()=>n(e===r?"":r)}>
      <span aria-hidden="true">${o}</span>${r}<span class="claims-count">${t.filter(i=>i.verdict===r).length}</span></button>`)}
  </div>`}function hp({rows:t,documents:e,current:n,list:s,onOpen:r,onClear:o}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return d`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],u=c.indexOf(l.target),p={ArrowDown:u+1,ArrowUp:u-1,Home:0,End:c.length-1}[l.key];u<0||p===void 0||(l.preventDefault(),c[p]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&d`<p class="claims-none">No claims found. <button onClick=${o}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let u=t.filter(p=>p.document===l);return u.length>0&&d`<section key=${l}><h3>${c}</h3><ul>${u.map(p=>d`<li key=${p.id}><button data-id=${p.id} aria-current=${p.id===n?"true":null} tabindex=${p.id===a?0:-1}
          onClick=${()=>r(p.id)}>
          <${Wa} verdict=${p.verdict} /><span class="claims-title">${p.title}</span><code>${p.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function dp(t){let e=D(null);return W(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,r]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(r.top<s.top||r.bottom>s.bottom)&&(e.current.scrollTop+=r.top-s.top-s.height/3)},[t]),e}var Ba={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:lp},Xs=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),Ha=t=>Xs(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function mp({rows:t,documents:e}){return t.map(n=>{let s=Xs(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:Ha(s)}})}function fp(t,e){let n=Xs(e).split(/\s+/).filter(Boolean),s=t.filter(({text:r})=>n.every(o=>r.includes(o)));return s.length?s.map(({row:r})=>r):t.filter(({words:r})=>Ha(e).every(o=>r.some(a=>$p(o,a)))).map(({row:r})=>r)}function $p(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>gp(t,e.slice(0,t.length+n))<=1)}function gp(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,r]=[t.slice(n),e.slice(n)];if(!s&&!r)return 0;let o=s.length>1&&s[0]===r[1]&&s[1]===r[0]&&s.slice(2)===r.slice(2);return s.slice(1)===r.slice(1)||s.slice(1)===r||s===r.slice(1)||o?1:2}function Ka({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function Gs(t,e,n){let s=(r,o)=>n===0?r:r+n*(o-r);return{centre:e.centre.map((r,o)=>s(t.centre[o],r)),precision:e.precision.map((r,o)=>s(t.precision[o],r))}}function Fe(t,e,n){let s=Math.floor(e),r=(o,a)=>{let i=(o*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:u}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(u*i,u*(i+1))]}};return Array.from({length:t.heads},(o,a)=>e===s?r(s,a):Gs(r(s,a),r(s+1,a),e-s))}var An=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function Va(t){let[e,n,s]=An(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function me(t,e){let[n,s,r]=An(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.sqrt(-Math.log1p(-e)),l=o<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-o,1e-12)),short:i/Math.sqrt(a+o),angle:l?0:Math.atan2(2*s,r-n)/2+Math.PI/2}}function Tn(t){let[e,n,s]=An(t);return(4*(e*s-n*n))**-.25}var xp=60,yp=.002;function Xa(t,e){let[n,s,r]=An(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.min(1,yp/Math.max(a-o,1e-9)),l=Math.max(i,Math.min(Math.max(1,xp/(a+o)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var Js=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function Ga(t,e){let n=1.5,s=t.side>>1;for(let r=0;r<t.steps.length;r++){let o=2*(r*t.layers+e)*t.heads;for(let a of t.centres.subarray(o,o+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var pt=t=>`heads-hue-${t%6+1}`,En=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],Ua=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,On=([t,e])=>`${Ua(t,"down","up")}, ${Ua(e,"right","left")}`;function Ya({found:t,maps:e,head:n,precision:s,centre:r,onQuery:o}){let[a,i]=j(null),{h:l,w:c,query:u}=t,p=e.subarray(n*l*c,(n+1)*l*c),h=p.reduce((f,$)=>Math.max(f,$),0),m=t.heads[n];return d`<div class="heads-beside">
    <${_t} data=${p} rows=${l} columns=${c} limit=${h} side=${160} chosen=${u} label=${`Weights of head ${n+1} from the query`}
      says=${(f,$)=>`row ${f}, column ${$}: ${z(p[f*c+$])}`} onChoose=${(f,$)=>o([f,$])}
      onPoint=${(f,$)=>i(f===null?null:[f,$])} />
    <div>
      <${de} limit=${h} />
      <p class="heads-facts">${On(r)}<br />width ${z(Tn(s),2)}</p>
      <p class="hint">${a?d`row ${a[0]}, column ${a[1]}: <b data-weight>${z(p[a[0]*c+a[1]])}</b>`:`Away from borders its largest weight is ${z(100*(1-m.softness),2)} %.`}</p>
    </div>
  </div>`}var vp=t=>t.map(e=>String(e).replace("-","−")).join(", "),Ja=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function Qa({found:t,chosen:e,onChoose:n}){let[s,r]=t.kernel_size,o=Math.min(54,174/r),a=([u,p])=>[(p+(r-1)/2)*o,(u+(s-1)/2)*o],i=o>=46,l=t.heads.map((u,p)=>({...u,head:p})).filter(u=>u.tap),c=[...t.free,...l.map(u=>u.tap)].filter(u=>t.heads.some(p=>Ja(p.peak,u)));return d`<div class="heads-beside">
    <svg class="heads-kernel" width=${r*o+2} height=${s*o+2} viewBox=${`-1 -1 ${r*o+2} ${s*o+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${r}`}>
      ${t.free.map(u=>d`<rect class="free" x=${a(u)[0]} y=${a(u)[1]} width=${o-3} height=${o-3} rx="5" />`)}
      ${l.map(({head:u,tap:p,distance:h,peak:m,softness:f})=>{let[$,g]=a(p),x=Ja(m,p),v=x?1-f:0,b=v*(o-3),y=x?`${z(100*v,2)} % of its weight there`:"its weight is largest elsewhere",w=x?`${z(100*v,1)} %`:`${z(h,2)} off`,M=$+(o-3)/2;return d`<g class=${`heads-tap ${pt(u)} ${u===e?"chosen":""} ${x?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${u===e} aria-label=${`Tap ${vp(p)}: head ${u+1}, ${z(h,2)} away, ${y}`}
          onClick=${()=>n(u)} onKeyDown=${A=>A.key==="Enter"&&n(u)}>
          <rect class="cell" x=${$} y=${g} width=${o-3} height=${o-3} rx="5" />
          <rect class="share" x=${$} y=${g+o-3-b} width=${o-3} height=${b} rx="5" />
          <text class="name" x=${M} y=${g+(i?o*.4:(o-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${u+1}</text>
          ${i&&d`<text class="away" x=${M} y=${g+o*.72} text-anchor="middle">${w}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*r} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var bp=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function Za({found:{convolution:t,reason:e,h:n,w:s},isEven:r}){if(!t)return d`<p>There is no certificate: ${e}</p>`;let o=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,p])=>p!==null),i=p=>Math.min(1,p/o),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${z(o)}.`,u=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return d`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}>${z(t.bound)}</b> of a convolution with ${bp(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${u}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([p,h,m])=>d`<tr><th scope="row">${p}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(h)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}>${z(h)}</td></tr>`)}
    </tbody></table>
    <p class="hint">${r?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?d` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":d`Below 1 % at these centres: a precision of <b>${z(t.sharpness)}</b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var wp={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function ti({found:t,onChoose:e}){let n=t.heads.flatMap((r,o)=>r.kinds.map(a=>[o,a])),s=r=>d`<button class="heads-name quiet" onClick=${()=>e(r)}><span class=${`heads-dot ${pt(r)}`} />Head ${r+1}</button>`;return t.unexamined?d`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?d`<p class="hint">None: every head looks at a place of its own.</p>`:d`<ul class="heads-odd">
    ${n.map(([r,o])=>d`<li data-kind=${o}>${s(r)} ${wp[o]}</li>`)}
    ${t.alike.map(r=>d`<li data-kind="alike">Heads ${r.map(o=>o+1).join(", ")} have the same map</li>`)}
  </ul>`}var ei={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function si({heads:t,side:e,margin:n,query:s,chosen:r,image:o,trail:a,at:i,onPlace:l,onNudge:c,onWiden:u,onChoose:p,onQuery:h}){let[m,f]=Q(),$=D(null),g=D(null),x=X(),v=Math.min(f,620)/(e+2*n),b=v*(e+2*n),y=S=>(S+n+.5)*v,w=S=>(S+n+.5)*v,M=S=>{let O=$.current.getBoundingClientRect();return[(S.clientY-O.top)/v-n-.5,(S.clientX-O.left)/v-n-.5]},A=S=>{let[O,L]=M(S).map(Math.round);Math.min(O,L)>=0&&Math.max(O,L)<e&&h([O,L])},_=(S,O)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),g.current=O},T={onPointerMove:S=>g.current?.(S),onPointerUp:()=>g.current=null,onPointerCancel:()=>g.current=null},k=S=>O=>{p(S);let[L,q]=M(O),[st,Mt]=[t[S].centre[0]+s[0]-L,t[S].centre[1]+s[1]-q];_(O,Ue=>{let[Al,Tl]=M(Ue);l(S,[Al+st-s[0],Tl+Mt-s[1]])})},P=S=>{let O=t[r].precision,L=st=>Math.max(Math.hypot(...M(st).map((Mt,Ue)=>Mt-t[r].centre[Ue]-s[Ue])),.1),q=L(S);_(S,st=>u(r,(q/L(st))**2,O))},N=S=>O=>{let L=ei[O.key],q={"+":1,"=":1,"-":-1,"−":-1}[O.key];if(L)c(S,L.map(st=>st*(O.shiftKey?1:.1)));else if(q)u(S,1.1**(-2*q));else return;O.preventDefault()},R=S=>{let O=ei[S.key];O&&(S.preventDefault(),h(s.map((L,q)=>Math.max(0,Math.min(e-1,L+O[q])))))},B=([S,O])=>[y(O+s[1]),w(S+s[0])].map(L=>Math.max(13,Math.min(b-13,L))),[E,C]=t[r]?B(t[r].centre):[];return d`<div class="heads-picture" ref=${m}>
    ${f>0&&d`<svg ref=${$} width=${b} height=${b} viewBox=${`0 0 ${b} ${b}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${x} ...${T}>
      <g class="heads-pixels" onPointerDown=${S=>(A(S),g.current=A)}>
        <rect class="heads-board" x=${y(-.5)} y=${w(-.5)} width=${e*v} height=${e*v} />
        ${o&&Array.from(o,(S,O)=>S>0&&d`<rect class="heads-shade" width=${v} height=${v}
          x=${y(O%e-.5)} y=${w(Math.floor(O/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,O)=>d`
          <line x1=${y(O-.5)} x2=${y(O-.5)} y1=${w(-.5)} y2=${w(e-.5)} />
          <line y1=${w(O-.5)} y2=${w(O-.5)} x1=${y(-.5)} x2=${y(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,O)=>d`<${_p} head=${O} ...${S} query=${s} x=${y} y=${w} scale=${v} chosen=${O===r} />`)}
      </g>
      ${a&&d`<g aria-hidden="true" class=${`heads-trail ${pt(r)}`}>
        <polyline class="rest" points=${a.map(([S,O])=>`${y(O+s[1])},${w(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,O])=>`${y(O+s[1])},${w(S+s[0])}`).join(" ")} />
        <circle cx=${y(a[0][1]+s[1])} cy=${w(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${R} onPointerDown=${S=>_(S,A)}>
        <rect x=${y(s[1]-.5)} y=${w(s[0]-.5)} width=${v} height=${v} rx="3" />
        <circle cx=${y(s[1])} cy=${w(s[0])} r="3" />
      </g>
      ${t.map((S,O)=>d`<g class=${`heads-knob ${pt(O)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${O}
        aria-label=${`Head ${O+1}: ${On(S.centre)}, width ${z(Tn(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>p(O)} onKeyDown=${N(O)} onPointerDown=${k(O)}>
        <${ni} head=${O} at=${B(S.centre)} />
      </g>`)}
      ${t[r]&&d`<g class=${`heads-knob chosen ${pt(r)}`} aria-hidden="true"><${ni} head=${r} at=${[E,C]} /></g>
        <${kp} precision=${t[r].precision} cx=${E} cy=${C} scale=${v} size=${b} onGrab=${P} />`}
    </svg>`}
    <p id=${x} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function _p({head:t,centre:e,precision:n,query:s,x:r,y:o,scale:a,chosen:i}){let[l,c]=[r(e[1]+s[1]),o(e[0]+s[0])],u=(p,h)=>{let{long:m,short:f,angle:$}=me(n,p);return d`<ellipse class=${h} rx=${m*a} ry=${f*a} stroke-dasharray=${h==="half"?En(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${$*180/Math.PI})`} />`};return d`<g class=${`${pt(t)} ${i?"chosen":""}`}>${u(.9,"most")}${u(.5,"half")}</g>`}var ni=({head:t,at:[e,n]})=>d`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function kp({precision:t,cx:e,cy:n,scale:s,size:r,onGrab:o}){let{long:a,angle:i}=me(t,.5),l=Math.max(a*s,19),c=($,g)=>Math.min($,g)>6&&Math.max($,g)<r-6,u=[i,i+Math.PI].map($=>{let g=l;for(;g>19&&!c(e+g*Math.cos($),n+g*Math.sin($));)g-=4;return[Math.max(g,19),$]}),[p,h]=u[0][0]>=u[1][0]?u[0]:u[1],[m,f]=[e+p*Math.cos(h),n+p*Math.sin(h)];return d`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${o}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var Ie=74;function ri({record:t,at:e,layer:n,onChange:s}){let r=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),o=Ie/(2*r+2),a=D(null),i=l=>{let c=he(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return d`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>d`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-Ie/2} ${-Ie/2} ${Ie} ${Ie}`} aria-hidden="true">
        <rect class="heads-here" x=${-o/2} y=${-o/2} width=${o} height=${o} />
        ${Fe(t,e,c).map(({centre:u,precision:p},h)=>{let{long:m,short:f,angle:$}=me(p,.5);return d`<ellipse class=${pt(h)} stroke-dasharray=${En(h)&&"3 2"} rx=${Math.max(m*o,1.5)} ry=${Math.max(f*o,1.5)}
            transform=${`translate(${u[1]*o},${u[0]*o}) rotate(${$*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function oi(t,e,n){let[s,r]=j(null),o=D(null);o.current={index:e,onStep:n};let a=s!==null,i=t-1;return W(()=>{if(!a)return;let u=o.current.index>=i?0:o.current.index,p=Math.min(400,Math.max(40,7e3/Math.max(i,1))),h=null,m=o.current.index,f=g=>{h??=g;let x=Math.min(i,u+(g-h)/p);Math.floor(x)!==m&&o.current.onStep(m=Math.floor(x)),r(x>=i?null:x),x<i&&($=requestAnimationFrame(f))},$=requestAnimationFrame(f);return()=>cancelAnimationFrame($)},[a,i]),{at:s,isPlaying:a,toggle:()=>{Lt()?n(e>=i?0:e+1):r(a?null:e>=i?0:e)},stop:()=>r(null)}}function ai({record:t,index:e,playing:n,onStep:s}){let[r,o]=Q(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[u,p]=[8,o-8],h=y=>u+(p-u)*y/Math.max(a,1),m=(l??[]).filter(y=>y!==null),[f,$]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],g=y=>c-6-(c-12)*(y-f)/($-f||1),x=Le().defined(y=>y!==null).x((y,w)=>h(w)).y(g),v=Lt()?"Next step":n.isPlaying?"Pause":"Play",b=Object.entries(t.curves).map(([y,w])=>[y.replace("_"," "),w[e]]).filter(([y,w])=>w!==null&&y!=="loss").map(([y,w],M)=>d`${M?" · ":""}${y} <b data-curve=${y}>${y==="accuracy"?`${(100*w).toFixed(1)} %`:z(w)}</b>`);return d`<div class="heads-course" ref=${r}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${v}</button><span class="hint">${Lt()?"":"or the space bar"}</span></div>
    <${nt} label="Step" value=${e} min=${0} max=${a} step=${1} says=${y=>t.steps[y].toLocaleString("en")} onChange=${s} />
    ${l&&o>0&&d`<svg width=${o} height=${c} role="img" aria-label=${`${i} over training: ${z(m[0])} to ${z(m.at(-1))}`}>
      <line class="base" x1=${u} x2=${p} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${x(l)} />
      <line class="mark" x1=${h(n.at??e)} x2=${h(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&d`<circle class="dot curve-1" cx=${h(e)} cy=${g(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${b.length?b:e===0&&l?"before training":null}</p>
  </div>`}var Mp=4,Ys=t=>Number(t.toFixed(2)),Sp={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},ii=t=>typeof t=="string"?t:null;function Np({ask:t,state:e,change:n,place:s}){let r={...e,run:ii(e.run),training:ii(e.training)},o=G(t,"recorded",{}),a=o.response?.trainings??[],i=f=>f.run===r.run&&(r.training===null||f.training===r.training),l=r.run===null?a[0]:a.find(i),c=o.response&&a.some(f=>f.run===r.run)&&r.training,u=l?{run:l.run,training:l.training}:c?{run:r.run,training:r.training}:null,p=G(t,"heads",u),h=K(()=>p.response&&Ka(p.response),[p.response]);if(!h){let f=o.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",$=o.response&&!u&&!f&&`The run ${r.run} has recorded no gaussian heads; choose another.`,g=u??{run:r.run,training:""};return d`<${I} error=${o.error??p.error??(f||$||null)} waiting=${o.waiting||p.waiting}>reading the recording …<//>
      ${(p.error||$)&&a.length>0&&d`<${li} trainings=${[g,...a]} request=${g} change=${n} />`}`}let m={ask:t,change:n,place:s,record:h,trainings:a,request:u,hasValues:l?.has_values??!1,error:p.error};return d`<${Ap} ...${m} state=${Cp(r,h)} />`}function Cp(t,{side:e,layers:n,heads:s,entries:r}){let o=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+r&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&Va(i.slice(2));return{...t,layer:ee(t.layer,0,n-1,0),head:ee(t.head,0,s-1,0),query:ln(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(o)),step:Number.isFinite(t.step)?t.step:null}}function Ap({ask:t,state:e,change:n,place:s,record:r,trainings:o,request:a,hasValues:i,error:l}){let c=D(null),u=r.steps.length-1,{layer:p,head:h}=e,m=e.step===null?u:Math.max(0,r.steps.findLastIndex(L=>L<=e.step)),f=e.query??[r.side>>1,r.side>>1],$=L=>n({step:L===u?null:r.steps[L]}),g=oi(r.steps.length,m,$),x=(L,q)=>Fe(r,q,L).map((st,Mt)=>Tp(st,e.moved[`${L}.${Mt}`])),v=x(p,m),[b,y]=Ep(g.at===null?v:x(p,g.at)),w=e.values==="trained"&&i?{...a,layer:p}:null,M=L=>({centres:x(L,m).map(q=>q.centre),precisions:x(L,m).map(q=>q.precision),h:r.side,w:r.side,query:f,values:w&&{...w,layer:L}}),A=xt(t,"kernel",M(p)),_=A.error?null:A.response,T=_?.header.heads.length===r.heads?_.header:null,k=T&&new Float32Array(_.data,_.offset,T.heads.length*T.h*T.w),P=Op({state:e,change:n,record:r,layer:p,resting:v,found:T,glide:y}),N=v.every((L,q)=>e.moved[`${p}.${q}`])?v[h].precision[0]:null,R=Object.keys(e.moved).some(L=>L.startsWith(`${p}.`)),B=R&&e.moved[`${p}.${h}`]?null:r.steps.map((L,q)=>Fe(r,q,p)[h].centre),E=L=>{L.key!==" "||L.defaultPrevented||L.target.closest("button, select, summary, [role=button], input:not([type=range])")||(L.preventDefault(),g.toggle())},C=()=>[["recorded",{}],["heads",a],...Array.from({length:r.layers},(L,q)=>["kernel",M(q)])],S=()=>Lp(r,v,T,k),O=L=>n({query:L});return d`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${E}>
    <div class="heads-left">
      <${F} title="Training">
        <div class="stack">
          <${Pt} place=${s} what="choose another run"><${li} trainings=${o} request=${a} change=${n} /><//>
          <${ri} record=${r} at=${g.at??m} layer=${p} onChange=${L=>n({layer:L})} />
          <${ai} record=${r} index=${m} playing=${g} onStep=${L=>(g.stop(),$(L))} />
        </div>
      <//>
      <div class="heads-below" data-unpictured><${F} title="Try it">
        <div class="stack heads-try">
          <${Dt} onClick=${P.convolve} off=${!T}>Make it a convolution<//>
          ${N!==null&&d`<${nt} label="Sharpness" value=${Math.log10(N)} min=${-1} max=${1.5} step=${.02}
            says=${L=>z(10**L,2)} onChange=${L=>P.sharpen(Number((10**L).toPrecision(3)))} />`}
          <${Dt} onClick=${P.back} off=${!R}>Back to the training<//>
          ${i&&d`<${tt} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${L=>n({values:L})} />`}
          ${r.image&&d`<${ft} label="Show the image" value=${e.image} onChange=${L=>n({image:L})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${F} title=${`Layer ${p+1}, step ${r.steps[m].toLocaleString("en")}${R?", heads moved":""}`}
        actions=${d`<${at} name="heads" of=${c} numbers=${S} saves=${C} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each head looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${si} heads=${b} side=${r.side} margin=${Ga(r,p)} query=${f} chosen=${h}
          image=${e.image?r.image:null} trail=${B} at=${g.at??m}
          onPlace=${P.place} onNudge=${P.nudge} onWiden=${P.widen} onChoose=${P.choose} onQuery=${O} />
        <${Pp} head=${h} one=${v[h]} edits=${P} isRound=${r.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${I} error=${l} />
      <//>
      ${T&&d`<${F} title="Degenerate heads"><${ti} found=${T} onChoose=${P.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${T?d`
          <${F} title=${d`<span class=${`heads-dot ${pt(h)}`} />Head ${h+1} from the query`}>
            <${Ya} found=${T} maps=${k} head=${h} ...${v[h]} onQuery=${O} />
          <//>
          <${F} title="The kernel that the heads make">
            <${Qa} found=${T} chosen=${h} onChoose=${P.choose} />
          <//>
          <${F} title="Distance to a true convolution"><${Za} found=${T} isEven=${w===null} /><//>`:d`<${F} title="The kernel that the heads make">${s==="file"?d`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:d`<${I} error=${A.error} waiting=${A.waiting} />`}<//>`}
    </div>
  </div></div>`}var Tp=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function Ep(t){let[e,n]=j(1),s=D(t),r=e<1&&s.current.length===t.length?t.map((i,l)=>Gs(s.current[l],i,e*e*(3-2*e))):t,o=e<1;return W(()=>{if(!o)return;let i=null,l=u=>{i??=u;let p=Math.min(1,(u-i)/380+.001);n(p),p<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[o]),[r,()=>{Lt()||(s.current=r,n(0))}]}function Op({state:t,change:e,record:n,layer:s,resting:r,found:o,glide:a}){let i=D(null);i.current={moved:t.moved,resting:r};let l=(h,m)=>{let f={...i.current.moved,[`${s}.${h}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map(($,g)=>g===h?m:$)},e({moved:f,head:h})},c=1.5*n.side,u=(h,m)=>l(h,{...i.current.resting[h],centre:m.map(f=>Ys(Math.max(-c,Math.min(c,f))))}),p=h=>({...t.moved,...Object.fromEntries(r.map((m,f)=>[`${s}.${f}`,h(m,f)]))});return{choose:h=>e({head:h}),place:u,nudge:(h,m)=>u(h,i.current.resting[h].centre.map((f,$)=>f+m[$])),widen:(h,m,f)=>l(h,{...i.current.resting[h],precision:Xa(f??i.current.resting[h].precision,m)}),sharpen:h=>e({moved:p(m=>[...m.centre,...Js(n.entries,h)])}),convolve:()=>{a(),e({moved:p((h,m)=>[...o.heads[m].tap??h.centre,...Js(n.entries,Mp)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([h])=>!h.startsWith(`${s}.`)))})}}}function li({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),o=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return d`<${ot} label="Run" hidden value=${s(e)} options=${o} onChange=${a} />`}function Pp({head:t,one:e,edits:n,isRound:s}){let r=o=>a=>n.place(t,e.centre.map((i,l)=>l===o?a:i));return d`<div class="heads-numbers">
    <span><span class=${`heads-dot ${pt(t)}`} />Head ${t+1}</span>
    <label>row <${pe} label=${`Row of head ${t+1}'s centre`} value=${Ys(e.centre[0])} onChange=${r(0)} /></label>
    <label>column <${pe} label=${`Column of head ${t+1}'s centre`} value=${Ys(e.centre[1])} onChange=${r(1)} /></label>
    ${s&&d`<label>precision <${pe} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05}
      onChange=${o=>n.widen(t,o/e.precision[0],e.precision)} /></label>`}
  </div>`}function Lp(t,e,n,s){let r=[t.steps.length,t.layers,t.heads],o={steps:{shape:[t.steps.length],data:t.steps},centres:{shape:[...r,2],data:t.centres},precisions:{shape:[...r,t.entries],data:t.precisions},centre:{shape:[t.heads,2],data:e.flatMap(h=>h.centre)},precision:{shape:[t.heads,t.entries],data:e.flatMap(h=>h.precision)}};if(!n)return o;let{heads:a,h:i,w:l,convolution:c,kernel_size:u}=n,p=h=>[h,{shape:[],data:[c[h]]}];return{...o,maps:{shape:[a.length,i,l],data:s},kernel_size:{shape:[u.length],data:u},taps:{shape:[a.length,2],data:a.flatMap(h=>h.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(h=>h.distance)},peaks:{shape:[a.length,2],data:a.flatMap(h=>h.peak??[null,null])},softness:{shape:[a.length],data:a.map(h=>h.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(p))}}var ci={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:Sp,View:Np};var zp=24*2**20,Rp="these maps are no longer in memory";function Dp({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];return t.type==="float32"?new Float32Array(e,n,s):t.type==="float16"?Float32Array.from(new Float16Array(e,n,s)):Float32Array.from(new Uint8Array(e,n,s),r=>(r/255)**2)}var Qs=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,r]of this.responses){if(this.size<=zp||this.responses.size===1)break;this.responses.delete(s),this.size-=r.data.byteLength}}};function Zs(t,e,n,s){let r=D(null);r.current??=new Qs;let o=D({response:null,of:null}),a=D({of:null,error:null}),[,i]=j(0),l=()=>i(h=>h+1),c=n&&JSON.stringify(n),u=c&&r.current.get(c);u?o.current={response:u,of:n.key}:n&&o.current.of!==n.key&&(o.current={response:null,of:null}),W(()=>{if(!c||r.current.get(c))return;let h=new AbortController,m=()=>t(e,JSON.parse(c),{signal:h.signal});return m().catch(async f=>{if(!f.message?.startsWith(Rp))throw f;return await t("maps",s,{signal:h.signal}),m()}).then(f=>(r.current.put(c,f),l()),f=>gt(f)||(a.current={of:c,error:f.message},l())),()=>h.abort()},[t,e,c]);let p=a.current.of===c?a.current.error:null;return{response:c&&!p?o.current.response:null,error:p,waiting:!!c&&!u&&!p}}function Qt(t,e,n){let{response:s,error:r,waiting:o}=Zs(t,"tile",e,n),a=K(()=>s&&Dp(s),[s]);return{tile:s&&{...s.header,weights:a},error:r,waiting:o}}function ui(t,e,n){let{response:s,error:r,waiting:o}=Zs(t,"overview",e,n);return{thumbs:K(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,u],p)=>Array.from({length:l},(h,m)=>{let f=new Uint8Array(s.data,i,c*u);return i+=c*u,{bytes:f,rows:c,columns:u,limit:s.header.limits[p][m]}}))},[s]),error:r,waiting:o}}function pi(t,e,n){let{response:s}=Zs(t,"picture",e,n);return K(()=>{if(!s)return null;let{height:r,width:o}=s.header,a=new Uint8Array(s.data,s.offset,3*r*o),i=new ImageData(o,r);for(let l=0;l<r*o;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Pn(t,e=8){return Array.from(t.keys()).sort((s,r)=>t[r]-t[s]).slice(0,e).filter(s=>t[s]>0)}var Ln=18,jt=48;function di({weights:t,rows:e,columns:n,rowNames:s,columnNames:r,first:o=0,start:a=0,width:i,pinned:l,limit:c,label:u,onPoint:p,onPin:h}){let m=X(),[f,$]=j(null),g=f??(l!==null&&l>=o&&l<o+e?l-o:null),x=Math.max(220,Math.min(i,640)),[v,b]=[x*.34,x*.66],y=Ln*Math.max(e,n)+8,w=Math.max(.02,c*.08),M=[];for(let E=0;E<e;E++)if(!(g!==null&&E!==g))for(let C=0;C<n;C++){let S=t[E*n+C];Math.abs(S)>=(g===null?w:.002)&&M.push([E,C,S])}let A=E=>4+Ln*(E+.5),_=E=>($(E),p(E===null?null:E)),T=E=>{let C={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[E.key];C?(E.preventDefault(),_(g===null?0:Math.max(0,Math.min(e-1,g+C)))):(E.key==="Enter"||E.key===" ")&&g!==null?(E.preventDefault(),h(g)):E.key==="Escape"&&_(null)},k=(E,C)=>(E?.[C]??String(C+1)).slice(0,22),P=g===null?null:Math.max(...Array.from({length:n},(E,C)=>t[g*n+C])),N=M.slice().sort((E,C)=>C[2]-E[2]).slice(0,3).map(([,E,C])=>`${k(r,E)} ${z(C)}`),R=g===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${k(s,g)} looks at ${N.join(", ")}`,B=E=>Math.min(1,.08+Math.sqrt(Math.abs(E)/Math.max(c,Math.abs(E)))*(g===null?.7:.9));return d`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${u} aria-describedby=${m}
    onKeyDown=${T} onBlur=${()=>_(null)} onPointerLeave=${()=>_(null)}>
    <svg width=${x} height=${y} aria-hidden="true">
      <g>${M.map(([E,C,S])=>d`<path d=${`M${v} ${A(E)}C${x/2} ${A(E)} ${x/2} ${A(C)} ${b} ${A(C)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${B(S)} />`)}</g>
      ${Array.from({length:e},(E,C)=>d`<g class=${`token${C===g?" now":g===null?"":" off"}`}
        onPointerEnter=${()=>_(C)} onClick=${()=>h(C)}>
        <rect x="0" y=${A(C)-Ln/2} width=${v} height=${Ln} /><text x=${v-8} y=${A(C)} dy="0.35em"
          text-anchor="end">${k(s,C)}</text></g>`)}
      ${Array.from({length:n},(E,C)=>{let S=g===null?null:t[g*n+C];return d`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===P?" now":""}`}>
          <text x=${b+8} y=${A(C)} dy="0.35em">${k(r,C)}</text>
          ${S!==null&&Math.abs(S)>=.002&&d`<text class="weight" x=${x-4} y=${A(C)} dy="0.35em"
            text-anchor="end">${z(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${R}</span>
  </div>`}function mi(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function jp({most:t,signed:e}){let n=D(null);return lt(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),r=e?-t:0;for(let o=0;o<128;o++)s.data.set(mi(r+(t-r)*o/127,t,e),4*o);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),d`<div class="legend maps-veil"><span>${e?z(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${z(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function fi({image:t,weights:e,count:n,first:s,grid:r,query:o,limit:a,signed:i,side:l=400,label:c,onQuery:u,onPoint:p}){let h=ct(),[m,f]=[D(null),D(null)],$=X(),[g,x]=j(null),[v,b]=r,y=Math.min(l/v,l/b),[w,M]=[y*b,y*v],A=e.subarray(o*n,(o+1)*n),_=a??Math.max(...A.subarray(s),1e-9);lt(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),lt(()=>{[f.current.width,f.current.height]=[b,v];let E=new ImageData(b,v);for(let C=0;C<v*b;C++)E.data.set(mi(A[s+C],_,i),4*C);f.current.getContext("2d").putImageData(E,0,0)},[e,o,r,_,i,h]);let T=E=>{let C=f.current.getBoundingClientRect(),[S,O]=[Math.floor((E.clientY-C.top)/C.height*v),Math.floor((E.clientX-C.left)/C.width*b)];return S>=0&&O>=0&&S<v&&O<b?s+S*b+O:null},k=E=>(x(E),p(E===null?null:[o,E])),P=E=>{let C={ArrowUp:-b,ArrowDown:b,ArrowLeft:-1,ArrowRight:1}[E.key];if(!C)return;E.preventDefault();let O=(o<s?s:o)+C;O>=s&&O<n&&(x(null),u(O))},N=E=>E<s?"the class token":`row ${Math.floor((E-s)/b)+1}, column ${(E-s)%b+1}`,R=(E,C)=>E>=s&&d`<rect class=${C} x=${(E-s)%b*y}
    y=${Math.floor((E-s)/b)*y} width=${y} height=${y} />`,B=A.indexOf(Math.max(...A));return d`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${$}
    style=${{width:`${w}px`,height:`${M}px`}} onKeyDown=${P} onPointerMove=${E=>k(T(E))} onPointerLeave=${()=>k(null)}
    onClick=${E=>T(E)!==null&&u(T(E))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${w} height=${M} aria-hidden="true">${g!==null&&R(g,"pointed")}${R(o,"query")}</svg>
    <span id=${$} class="unseen" aria-live="polite">${N(o)} looks most at ${N(B)}, ${z(A[B])}; the arrow keys choose the patch that looks</span>
  </div><${jp} most=${_} signed=${i} />`}var[Zt,fe,hi]=[26,22,4];function tr({thumbs:t,minus:e,colour:n,layer:s,head:r,onChoose:o,label:a,width:i}){let l=ct(),c=D(null),u=X(),[p,h]=j(null),m=Math.max(...t.map(w=>w.length)),f=Math.max(18,Math.min(84,Math.floor((i-Zt)/m)-hi)),$=f+hi,[g,x]=[Zt+m*$,fe+t.length*$];lt(()=>{let w=Math.min(2,globalThis.devicePixelRatio||1),M=c.current;M.width=Math.round(m*$*w),M.height=Math.round(t.length*$*w);let A=M.getContext("2d");A.scale(w,w),t.forEach((_,T)=>_.forEach((k,P)=>{let N=e?.[T]?.[P],R=N?Ip(k,N):Fp(k,n);A.imageSmoothingEnabled=k.columns>f*w,A.drawImage(R,P*$,T*$,f,f)}))},[t,e,n,f,l]);let v=w=>{let M=c.current.getBoundingClientRect(),[A,_]=[Math.floor((w.clientY-M.top)/$),Math.floor((w.clientX-M.left)/$)];return A>=0&&_>=0&&t[A]?.[_]?[A,_]:null},b=w=>{let M={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1],Home:[0,-r],End:[0,m]}[w.key];if(!M||!o)return;w.preventDefault();let A=Math.max(0,Math.min(t.length-1,s+M[0]));o(A,Math.max(0,Math.min(t[A].length-1,r+M[1])))},y=([w,M],A)=>d`<rect class=${A} x=${Zt+M*$-2} y=${fe+w*$-2} width=${f+4} height=${f+4} rx="4" />`;return d`<div class="maps-overview" style=${{width:`${g}px`,height:`${x}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${u} data-heads=${`${t.length}x${m}`} onKeyDown=${b}
    onPointerMove=${w=>h(v(w))} onPointerLeave=${()=>h(null)}
    onClick=${w=>v(w)&&o?.(...v(w))} aria-disabled=${o?null:"true"}>
    <canvas ref=${c} style=${{left:`${Zt}px`,top:`${fe}px`,width:`${m*$}px`,height:`${t.length*$}px`}}></canvas>
    <svg width=${g} height=${x} aria-hidden="true">
      ${t.map((w,M)=>d`<text class=${M===s?"now":""} x=${Zt-8} y=${fe+M*$+f/2} dy="0.35em"
        text-anchor="end">${M+1}</text>`)}
      ${Array.from({length:m},(w,M)=>d`<text class=${M===r?"now":""} x=${Zt+M*$+f/2} y=${fe-8}
        text-anchor="middle">${M+1}</text>`)}
      ${t.map((w,M)=>w.map((A,_)=>d`<rect class="cell" x=${Zt+_*$-.5} y=${fe+M*$-.5} width=${f+1}
        height=${f+1} rx="2" />`))}
      ${p&&o&&y(p,"pointed")}${y([s,r],"chosen")}
    </svg>
    <span id=${u} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${r+1} of ${t[s]?.length}${o?"; use the arrow keys to move":""}</span>
  </div>`}var qp=()=>globalThis.document.createElement("canvas");function Fp({bytes:t,rows:e,columns:n,limit:s},r){let o=new Uint32Array(Ht("weight").buffer),a=r==="own"&&s>0?1/Math.sqrt(s):1,i=Uint32Array.from({length:256},(l,c)=>o[Math.min(255,Math.round(c*a))]);return $i(e,n,l=>i[t[l]])}function Ip(t,e){let n=new Uint32Array(Ht("signed").buffer),s=Math.max(t.limit,e.limit,1e-6);return $i(t.rows,t.columns,r=>{let o=(t.bytes[r]/255)**2-(e.bytes[r]/255)**2;return n[Math.max(0,Math.min(255,Math.round(255*(.5+o/s/2))))]})}function $i(t,e,n){let s=qp();[s.width,s.height]=[e,t];let r=new ImageData(e,t),o=new Uint32Array(r.data.buffer);for(let a=0;a<o.length;a++)o[a]=n(a);return s.getContext("2d").putImageData(r,0,0),s}var At=40;function yi({ask:t,sides:e,heads:n,kind:s,layer:r,head:o,state:a,change:i,actions:l,differs:c,isFile:u,isLarge:p}){let[h,m]=Q(),[f,$]=j(null),[g,x]=n.map(({tile:S})=>S),v=!!e[1].maps,[b,y]=e,w=s.layers[r].grid,M=e.map(({maps:S,request:O})=>pi(t,S?.pictured?{key:S.key}:null,O));W(()=>$(null),[b.maps?.key,y.maps?.key,s.name]);let A=g&&x&&String(g.shape)===String(x.shape),_=v&&a.compare==="difference",T=K(()=>_&&A?Hp(g.weights,x.weights):null,[_,g?.weights,x?.weights]),k=[...w&&M[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],P=k.some(([S])=>S===a.show)?a.show:k[0][0],N=`Layer ${r+1}, head ${o+1}`,R={kind:s,layer:r,head:o,state:a,change:i,show:P,setPoint:$,grid:w,near:a.near,isFile:u},B=Math.max(g?.limit??0,v&&x?.limit||0),E=Math.max(160,v&&!_?(m-24)/2:m),C=_&&g&&x&&!A;return d`<${F} title=${N} class="maps-head" actions=${d`<div class="row maps-nameless">${k.length>1&&d`<fieldset
    class="maps-held" disabled=${u&&p}><${tt} label="Show as" value=${P} options=${k}
      onChange=${S=>i({show:S})} /></fieldset>`}${l}</div>`}>
    <div ref=${h} class="maps-pair">
      ${g&&m>0&&(_&&!C?T&&d`<${er} tile=${{...g,weights:T,limit:Up(T)}} signed maps=${b.maps} image=${M[0]}
          width=${E} name="First minus second" ...${R} />`:d`<${er} tile=${{...g,limit:B}} maps=${b.maps} image=${M[0]} width=${C?(m-24)/2:E}
          name=${v?"First":null} ...${R} />
            ${v&&x&&d`<${er} tile=${{...x,limit:B}} maps=${y.maps} image=${M[1]}
              width=${C?(m-24)/2:E} name="Second" ...${R} />`}`)}
    </div>
    ${C&&d`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${g.shape.join(" × ")} and ${x.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${_&&!C&&c&&d`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${I} error=${n[0].error??n[1].error} />
    ${g&&d`<${Vp} ask=${t} layer=${r} head=${o} show=${P} point=${f??a.pin} pinned=${!f}
      tiles=${[g,v?x:null]} sides=${e} kind=${s} />
      ${[g,v?x:null].map((S,O)=>S&&d`<${Xp} key=${O} ask=${t} maps=${e[O].maps} kind=${s} layer=${r}
        head=${o} grid=${w} of=${v?["First: a","Second: a"][O]:"A"} />`)}
      ${a.pin&&d`<${Jp} ask=${t} sides=${e} kind=${s} layer=${r} head=${o} pin=${a.pin} isTwo=${v}
        onUnpin=${()=>(h.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[g,x]} />`}`}
  </${F}>`}function er({tile:t,maps:e,image:n,width:s,name:r,signed:o,kind:a,layer:i,head:l,state:c,change:u,show:p,setPoint:h,grid:m,near:f,isFile:$}){let[g,x]=t.shape,v=(N,R)=>e.axes[N]?e.axes[N].slice(R):null,[b,y]=[v(a.rows,t.rows[0]),v(a.columns,t.columns[0])],w=o?t.limit:c.colour==="own"&&t.limit||1,M=`weights of layer ${i+1}, head ${l+1}${r?`, ${r}`:""}: ${a.rows} by ${a.columns}`,A=(N,R)=>u({pin:[t.rows[0]+N*t.pool,R===null?null:t.columns[0]+R*t.pool]}),_=(N,R)=>h(N==null?null:[t.rows[0]+N*t.pool,t.columns[0]+R*t.pool]),T=c.pin&&c.pin[1]!==null?vi(c.pin,t):null,k=a.layers[i],P;if(p==="picture"&&m&&n&&!f){let N=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),x-1);P=d`<${fi} image=${n} weights=${t.weights} count=${x} first=${e.first} grid=${m} query=${N}
      limit=${o||c.colour==="one"?w:null} signed=${o} side=${Math.min(s,440)} label=${M}
      onQuery=${R=>u({pin:[R,null]})} onPoint=${h} />
      ${e.first>0&&d`<button class="quiet" aria-pressed=${N<e.first}
        onClick=${()=>u({pin:[0,null]})}>From the class token</button>`}`}else if(p==="lines"){let N=g<k.rows||x<k.columns;P=d`${N&&d`<div class="row"><${gi} near=${f??[0,0]} whole=${k} change=${u} isFile=${$} fixed /></div>`}<${Bp}
      tile=${t} rowNames=${b} columnNames=${y} width=${s} limit=${o?t.limit:t.limit||1} label=${M} state=${c}
      pin=${A} pointed=${h} />`}else{let N=La(m?null:b?.slice(0,g),Math.max(g,x),s),R=Math.ceil(Math.max(g,x)/Math.max(N,64)),B=Us(t.weights,g,x,R),E=m||R>1?[null,null]:[b?.slice(0,g),y?.slice(0,x)],C=(L,q)=>{let st=B.at?.[L*B.columns+q];return st?[Math.floor((st-1)/x),(st-1)%x]:[L*R,q*R]},S=(L,q)=>{let[st,Mt]=C(L,q);return`${b?.[st*t.pool]??st+1} to ${y?.[Mt*t.pool]??Mt+1}: ${z(t.weights[st*x+Mt])}`},O=d`<${_t} data=${B.data} rows=${B.rows} columns=${B.columns} scale=${o?"signed":"weight"} limit=${w}
      label=${M} side=${N} says=${S} rowNames=${E[0]} columnNames=${E[1]}
        chosen=${T?.map(L=>Math.floor(L/R))} onChoose=${(L,q)=>A(...C(L,q))}
        onPoint=${(L,q)=>L===null?_(null):_(...C(L,q))} />`;P=d`${O}
      <div class="row maps-under"><${de} scale=${o?"signed":"weight"} limit=${w}
        label=${o?"first minus second":w<.995?"and above":"weight"} />
        ${Math.max(k.rows,k.columns)>At&&d`<${gi} near=${f} whole=${k} pin=${c.pin} change=${u} isFile=${$} />`}</div>
      ${t.pool*R>1&&d`<p
        class="hint">Each pixel is the strongest of ${t.pool*R} × ${t.pool*R} weights; look closer to see each.</p>`}`}return d`<div class="maps-one">${r&&d`<h3>${r}</h3>`}${P}</div>`}function gi({isFile:t,...e}){return d`<fieldset class="maps-held row" disabled=${t}><${Wp} ...${e} /></fieldset>`}function Wp({near:t,whole:e,pin:n,change:s,fixed:r}){if(!t){let o=(a,i)=>Math.max(0,Math.min(i-At,Math.round((a??0)-At/2)));return d`<button onClick=${()=>s({near:[o(n?.[0],e.rows),o(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return d`${!r&&d`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${nt} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-At+1)} step=${1}
      onChange=${o=>s({near:[o-1,t[1]]})} />
    <${nt} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-At+1)} step=${1}
      onChange=${o=>s({near:[t[0],o-1]})} />`}function Bp({tile:t,rowNames:e,columnNames:n,width:s,limit:r,label:o,state:a,pin:i,pointed:l}){let[c,u]=t.shape,[p,h]=j(0),m=Math.max(c,u),f=Math.min(p,Math.max(0,m-jt)),$=y=>[Math.min(f,Math.max(0,y-jt)),Math.min(f+jt,y)],[g,x]=[$(c),$(u)],v=K(()=>{let y=new Float32Array((g[1]-g[0])*(x[1]-x[0]));for(let w=g[0];w<g[1];w++)y.set(t.weights.subarray(w*u+x[0],w*u+x[1]),(w-g[0])*(x[1]-x[0]));return y},[t.weights,g[0],g[1],x[0],x[1]]),b=y=>Pn(v.subarray(y*(x[1]-x[0]),(y+1)*(x[1]-x[0])),1)[0]??0;return d`${m>jt&&d`<${nt} label="Tokens from" value=${f+1} min=${1} max=${m-jt+1} step=${1}
    onChange=${y=>h(y-1)} />`}
    <${di} weights=${v} rows=${g[1]-g[0]} columns=${x[1]-x[0]} rowNames=${e?.slice(g[0])} columnNames=${n?.slice(x[0])}
      width=${s} limit=${r} label=${o}
      pinned=${a.pin?a.pin[0]-t.rows[0]-g[0]:null} first=${0}
      onPoint=${y=>l(y===null?null:[t.rows[0]+g[0]+y,t.columns[0]+x[0]+b(y)])} onPin=${y=>i(g[0]+y,x[0]+b(y))} />
    <p class="hint">${m>jt?`${jt} tokens of each side; f`:"F"}aint weights have no line.</p>`}var Hp=(t,e)=>t.map((n,s)=>n-e[s]),Up=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function vi([t,e],n){let[s,r]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&r>=0&&s<n.shape[0]&&r<n.shape[1]?[s,r]:null}var xi=(t,e,n)=>`${t.axes[e]?.[n]??""}`,zn=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?xi(t,n,s)||`${n} ${s+1}`:`${xi(t,n,s)}`,Kp={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function Vp({ask:t,layer:e,head:n,show:s,point:r,pinned:o,tiles:a,sides:i,kind:l}){let c=i[0].maps,u=r&&r[1]!==null&&a[0].pool>1?a[0].pool:0,p=u?{rows:[r[0],r[0]+u],columns:[r[1],r[1]+u],most:16}:null,h=Qt(t,p&&{key:c.key,kind:l.name,layer:e,head:n,...p},i[0].request),m=Qt(t,p&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...p}:null,i[1].request),f=h.tile&&r&&h.tile.rows[0]===r[0]&&h.tile.columns[0]===r[1];if(u&&f&&h.tile.pool===1){let y=Pn(h.tile.weights,1)[0]??0;r=[r[0]+Math.floor(y/h.tile.shape[1]),r[1]+y%h.tile.shape[1]],a=[h.tile,m.tile]}let $=r;if(!$||$[1]===null)return d`<p class="maps-reading hint">${Kp[s]}</p>`;let g=a.map(y=>{let w=y&&vi($,y);return w?y.weights[w[0]*y.shape[1]+w[1]]:null}),x=[zn(c,l,l.rows,$[0]),zn(c,l,l.columns,$[1])],v=l.layers[0].grid?"":` (${$[0]+1} → ${$[1]+1})`,b=a[0].pool>1?", the largest around":"";return d`<p class="maps-reading" data-reading>${o?"Pinned: ":""}<b>${x[0]}</b> → <b>${x[1]}</b><span
    class="hint">${v}${b}</span>
    <span class="maps-number" data-weight=${g[0]}>${z(g[0],4)}</span>
    ${a[1]&&d`<span class="hint maps-and">second</span><span class="maps-number">${z(g[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${g[1]===null?"–":z(g[0]-g[1],4)}</span>`}</p>`}function Xp({ask:t,maps:e,kind:n,layer:s,head:r,grid:o,of:a}){let{response:i}=G(t,"facts",{key:e.key,kind:n.name,layer:s,head:r}),l=i&&n.rows===n.columns&&!o?`, ${z(i.distance,2)} tokens away on average`:"",c={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=i&&`${a} query looks at about ${z(2**i.entropy,2)} tokens: ${z(i.entropy,3)} bits of entropy${l}.${c}`;return d`<p class="hint maps-facts" data-entropy=${i?.entropy}>${u??" "}</p>`}function Gp(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function Jp({ask:t,sides:e,kind:n,layer:s,head:r,pin:o,isTwo:a,onUnpin:i,tiles:l}){let c=e.map(v=>v.maps?.kinds.find(b=>b.name===n.name)?.layers[s]),u=l.map((v,b)=>Gp(v,c[b],o[0])),p=v=>{let b=e[v];return!u[v]&&c[v]&&o[0]<c[v].rows&&r<c[v].heads?{key:b.maps.key,kind:n.name,layer:s,head:r,rows:[o[0],o[0]+1],most:4096}:null},h=[Qt(t,p(0),e[0].request),Qt(t,a?p(1):null,e[1].request)],m=u[0]??h[0].tile?.weights;if(!m)return null;let f=a?u[1]??h[1].tile?.weights:null,$=e[0].maps,g=Pn(m),x=m[g[0]]||1;return d`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${zn($,n,n.rows,o[0])}${n.layers[0].grid?"":` (${o[0]+1})`} looks at most</h3>
      <button class="quiet" onClick=${i}>Unpin</button></div>
    <table class="lines" data-pinned=${o[0]}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${f&&d`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${g.map(v=>d`<tr><td>${zn($,n,n.columns,v)}</td><td class="number">${v+1}</td><td
        class="number">${z(m[v],4)}</td>
        ${f&&d`<td class="number">${v<f.length?z(f[v],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*m[v]/x}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var Yp=8*2**20;function bi(t,{model:e,text:n,target:s,image:r,step:o,picture:a},i){let l=Rn(t,e);if(!l)return null;let c={model:l.name};if(o!==null&&l.steps.includes(o))return{...c,step:o};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:nr(l,r)};if(l.takes==="nothing")return c;let u=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:u,target:s}:{...c,text:u}}var nr=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function Rn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function wi(t,{text:e,target:n,image:s,step:r,picture:o}){let a={model:t.name,text:e,target:n,image:s,step:r,picture:o},i=t.examples.find(u=>u!==(e??t.examples[0]));if(!t.steps.includes(r)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(u=>u!==r);return c!==void 0?{...a,step:c}:{...a,image:Qp(t,s,o),picture:""}}var Qp=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function rr({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var Zp=t=>t.length>240?`${t.slice(0,239)}…`:t;function or({models:t,value:e,set:n,pictures:s,open:r,side:o,title:a,place:i}){let l=Rn(t,e.model),c=$=>t.filter(g=>g.group===$).map(g=>[g.name,g.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,c($)]),p=e.step!==null&&l.steps.includes(e.step),h=$=>n({model:$,text:null,target:"",step:null}),m=o.maps?.caption,f=p&&o.isNow?rr(o):null;return d`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      <${ot} label="Model" value=${l.name} options=${u} onChange=${h} />
      ${l.steps.length>0&&d`<${ot} label="Training" value=${p?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...l.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!p&&l.takes!=="image"&&l.examples.length>1&&d`<${ot} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...l.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
    </div>
    ${p||l.takes==="nothing"?null:l.takes==="image"?d`<${th} one=${l} value=${e} set=${n} pictures=${s}
      open=${r} place=${i} />`:d`<${ht} label=${l.takes==="letters"?"A string of a, b, c and d":l.takes==="pair"?"Source":"Text"}
        value=${e.text??l.examples[0]??""}
          lines=${l.takes==="letters"?0:2} max=${4e4} onChange=${$=>n({text:$})} />`}
    ${!p&&l.takes==="pair"&&d`<${ht} label="Target (empty: what the model writes)" value=${e.target} lines=${2} max=${4e4}
      onChange=${$=>n({target:$})} />`}
    ${f&&d`<p>Reads ${l.takes==="image"?"the recorded image":d`<span class="maps-read">${Zp(f)}</span>, as it was recorded`}.</p>`}
    ${m&&!(f&&m==="as recorded")&&d`<p class="hint">${m}</p>`}
  </div>`}function th({one:t,value:e,set:n,pictures:s,open:r,place:o}){let a=X(),[i,l]=j(null),c=m=>{if(!m)return;if(m.size>Yp)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>r(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},u=nr(t,e.image),p=s.has(e.picture)?e.picture:"",h=m=>n({picture:"",image:nr(t,m)});return d`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${u} onChange=${m=>h(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>h(u-1)} disabled=${u<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>h(u+1)} disabled=${u>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${p?p.slice(0,28):"Open a picture …"}</span></label>
    ${p&&d`<button class="quiet" onClick=${()=>h(u)}>Use the test image</button>`}
    ${p&&o==="page"&&d`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!p&&d`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&d`<p class="error">${i}</p>`}
  </div>`}var eh=8,sr=new WeakMap,_i=(t,e)=>new Map([...Object.entries(e??{}),...sr.get(t)??[]]);function ki(t,e,n){let s=sr.get(t)??new Map,r=e;for(let o=2;s.has(r)&&s.get(r)!==n;o++)r=`${e} (${o})`;return s.delete(r),sr.set(t,new Map([...s,[r,n]].slice(-eh))),r}var ar=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var Ci={model:"",text:null,target:"",image:0,step:null,picture:""},nh={...Ci,other:null,compare:"side",kind:"",layer:0,head:0,show:"",colour:"own",pin:null,near:null},Ai=512,sh=6*2**20;function rh({ask:t,state:e,change:n,place:s}){let r=G(t,"models",{}),o=r.response?.models??null,a=_i(t,e.pictures),i=typeof e.other=="object"&&e.other?{...Ci,...e.other}:null,l=Mi(t,o,e,a),c=Mi(t,o,i,a),u=ah(l,c,e.kind),[p,h]=ih(u,e.layer,e.head),m=u?{...e,...lh(u.layers[p],e)}:e,f=Si(t,l,u,p,h,m),$=Si(t,c,u,p,h,m),g=D(null);if(r.error)return d`<${I} error=${r.error} />`;if(!o)return d`<${I} waiting=${r.waiting} />`;if(!o.length)return d`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let x=T=>n({...T,pin:null,near:null}),v=T=>n({other:{...i,...T},pin:null,near:null}),b=T=>n({other:T?wi(Rn(o,e.model),e):null,near:null}),y=[e.picture,i?.picture],w=T=>(k,P)=>{let N=ki(t,k,P);s==="notebook"&&n({pictures:{...ar(a,y),[N]:P}}),T({picture:N})},M=s==="file",A=Ei(l,c),_=[l,c].filter(T=>T.maps);return d`<div class="maps" ref=${g}>
    <${F} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${M}>
        <${or} title=${i?"First":"Model and input"} models=${o} value=${e} set=${x} pictures=${a}
          open=${w(x)} side=${l} place=${s} />
        ${i&&d`<${or} title="Second" models=${o} value=${i} set=${v} pictures=${a}
          open=${w(v)} side=${c} place=${s} />`}
      </fieldset>
      <div class="row maps-nameless">
        <fieldset class="maps-held" disabled=${M}><${ft} label="Compare with a second" value=${i!==null} onChange=${b} /></fieldset>
        ${i&&d`<${tt} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${T=>n({compare:T})} />`}
        ${M&&d`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>
      <${I} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${F}>
    ${u&&d`<div class="maps-body">
      <${ch} ask=${t} sides=${_} kind=${u} layer=${p} head=${h} state=${m}
        kinds=${A} change=${n} isFile=${M} />
      <${yi} ask=${t} sides=${[l,c]} heads=${[f,$]} kind=${u} layer=${p} head=${h} state=${m} change=${n}
        differs=${oh(l,c)} isFile=${M} isLarge=${Pi(u.layers[p])}
        actions=${d`<${at} name=${`maps-layer-${p+1}-head-${h+1}`} of=${g} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:ar(a,y)}}
          numbers=${()=>ph([f,$],[l,c],u)} saves=${()=>hh(_,u,p,h,m)} />`} />
    </div>`}
  </div>`}function Mi(t,e,n,s){let r=e&&n?bi(e,n,s):null,{response:o,error:a,waiting:i,of:l}=G(t,"maps",r),c=r&&JSON.stringify(r),u=!!r&&l===c;return{request:r,isNow:u,maps:r&&(u||!a)?o:null,error:r?a:null,waiting:!!r&&i}}function oh(t,e){let[n,s]=[t,e].map(r=>r.isNow?rr(r):null);return n!==null&&s!==null&&n!==s}function Si(t,e,n,s,r,o){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&r<a.layers[s].heads;return Qt(t,i?Ti(e.maps,a,s,r,o):null,e.request)}function Ti(t,e,n,s,{near:r,show:o}){let{rows:a,columns:i}=e.layers[n],l=Oi({rows:a,columns:i},r)??(o==="lines"&&Pi({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+At],columns:[l[1],l[1]+At]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:Ai}}var Ei=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function ah(t,e,n){let s=Ei(t,e);return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var We=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function ih(t,e,n){if(!t)return[0,0];let s=We(e,t.layers.length);return[s,We(n,t.layers[s].heads)]}function lh({rows:t,columns:e},{pin:n,near:s}){let r=typeof n?.[1]=="number"?We(n[1],e):null;return{pin:Array.isArray(n)?[We(n[0],t),r]:null,near:Oi({rows:t,columns:e},s)}}var Oi=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,r)=>We(n[r],Math.max(1,s-At+1))):null,Pi=({rows:t,columns:e})=>Math.max(t,e)>Ai;function ch({ask:t,sides:e,kind:n,kinds:s,layer:r,head:o,state:a,change:i,isFile:l}){let[c,u]=Q(),p=[0,1].map(y=>ui(t,e[y]?{key:e[y].maps.key,kind:n.name}:null,e[y]?.request)),h=l&&!e.every(({maps:y})=>zi(Li(y,n),a)),m=h?"head":l&&s.length>1?"kind":null,f=h?null:(y,w)=>i({layer:y,head:w}),[$,g]=p.map(y=>y.thumbs),x=e.length>1&&a.compare==="difference"&&$&&g&&uh($,g),v=`${n.layers.length} layers of heads, ${n.title}`,b={colour:a.colour,layer:r,head:o,onChoose:f,width:Math.max(u,120)};return d`<${F} title="All heads" class="maps-all" note="A row for each layer, a column for each head." >
    ${s.length>1&&d`<fieldset class="maps-held maps-nameless" disabled=${l}><${tt} label="Kind" value=${n.name}
      options=${s.map(y=>[y.name,y.title])} onChange=${y=>i({kind:y,pin:null,near:null})} /></fieldset>`}
    <div ref=${c} class="maps-grids">
      ${$&&u>0&&d`<div>${e.length>1&&d`<h3>${x?"First minus second":"First"}</h3>`}
        <${tr} thumbs=${$} minus=${x?g:null} label=${v} ...${b} /></div>`}
      ${g&&u>0&&e.length>1&&!x&&d`<div><h3>Second</h3><${tr} thumbs=${g}
        label=${`${v}, second`} ...${b} /></div>`}
    </div>
    ${m&&d`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${I} error=${p[0].error??p[1].error} />
    <${tt} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${y=>i({colour:y})} />
  </${F}>`}var Ni=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),uh=(t,e)=>Ni(t)===Ni(e);function ph(t,e,n){let s={};return t.forEach(({tile:r},o)=>{if(!r)return;let a=(i,[l,c])=>e[o].maps.axes[i]?.slice(l,c).filter((u,p)=>p%r.pool===0);s[o?"second":"weights"]={shape:r.shape,data:r.weights,rows:a(n.rows,r.rows),columns:a(n.columns,r.columns)}}),s}var Li=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,zi=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=sh;function hh(t,e,n,s,r){let o=[["models",{}]];for(let{request:a,maps:i}of t){let l=Li(i,e),c=l.layers.flatMap((u,p)=>Array.from({length:u.heads},(h,m)=>[p,m]));o.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&o.push(["picture",{key:i.key}]);for(let[u,p]of zi(l,r)?c:[[n,s]])o.push(["tile",Ti(i,l,u,p,r)],["facts",{key:i.key,kind:e.name,layer:u,head:p}]);r.pin&&o.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[r.pin[0],r.pin[0]+1],most:4096}])}return o}var Ri={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture. Choose a head; point at a token to read its numbers.",state:nh,View:rh};var Di=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function dh(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,r]=Di.find(([o])=>Math.abs(n)>=o*.9999999)??Di.at(-1);return`${Number((n/s).toPrecision(3))} ${r}${e}`}var $t={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},H=t=>t.toLocaleString("en"),Dn=(t,e)=>`${Number((100*t/e).toPrecision(3))} %`;function ir({claim:t,place:e}){return!t||e!=="page"?null:d` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function qt({label:t,value:e,values:n,onChange:s,says:r=H}){let o=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return d`<${nt} label=${t} value=${o} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>r(a===o?e:n[a])} />`}function lr(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Be=["flops","bytes","memory","seconds"];function qi({found:t,saving:e}){let n=D(null),s=t.response,r=s?.candidates.filter(l=>l.refusal===null)??[],o=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&d`<${at} name="plan" of=${n} numbers=${()=>{let l=r.flatMap(c=>Be.map(u=>c[u]));return{plan:{shape:[r.length,Be.length],data:l,rows:r.map(c=>c.name),columns:Be}}}} ...${e} />`;return d`<${F} title="The plan" actions=${i}>
    <${I} error=${t.error} waiting=${!s&&t.waiting} />
    ${s&&d`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is the fastest exact way here.${fh(s)}</p>
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${H(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Be.map(l=>d`<th class="number" title=${$t[l].about}>${$t[l].name}</th>`)}</tr></thead>
        <tbody>
          ${r.map(l=>d`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&d` <span class="badge">chosen</span>`}</th>
            <${ji} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${ji} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${o.length>0&&d`<details class="patterns-refused"><summary>${o.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${o.map(l=>d`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function ji({one:t}){return Be.map(e=>d`<td class="number" data-cost=${`${t.name} ${e}`} title=${mh(t[e],e)}>
    ${dh(t[e],$t[e].unit)}</td>`)}var mh=(t,e)=>e==="seconds"?`${t} s`:`${H(t)} ${$t[e].unit}`;function fh(t){let[e]=t.candidates,n=(r,o)=>{let a=Number((t.full[r]/e[r]).toPrecision(2));return Number.isFinite(a)&&a!==1?[`${a} times the ${o}`]:[]},s=[...n("flops","FLOPs"),...n("memory","memory"),...n("seconds","predicted time")];return s.length?` Full attention takes ${s.join(", ").replace(/, ([^,]*)$/," and $1")}.`:""}var Fi=["①","②","③","④"],$h=t=>Math.abs(t)>=1e7?Mn(t):z(t);function Ii({found:t,request:e,quantity:n,compare:s,change:r,saving:o,place:a}){let i=D(null),l=t.response,c=l?gh(l,n,s):[],u=l&&s==="full"?yh(l,n):[],h=l&&d`<${at} name="growth" of=${i} numbers=${()=>{let m=g=>Object.keys($t).map(x=>({name:`${g.name}, ${x}`,data:g[x]})),f=l.curves.flatMap(m).filter(g=>g.data.some(x=>x!==null)),$=l.tokens.flatMap((g,x)=>f.map(v=>v.data[x]));return{growth:{shape:[l.tokens.length,f.length],data:$,rows:l.tokens,columns:f.map(g=>g.name)}}}} ...${o} />`;return d`<${F} title="How the cost grows" actions=${h}>
    <div class="row patterns-choices">
      <${tt} label="Show" value=${n} options=${Object.entries($t).map(([m,f])=>[m,f.name])}
        onChange=${m=>r({quantity:m})} />
      <${tt} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>r({compare:m})} />
    </div>
    <${I} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${i}>
      <p class="patterns-axis">${$t[n].axis} <span aria-hidden="true">↑</span></p>
      <${Ct} series=${c} label=${`${$t[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${$h} marks=${xh(u)} />
      ${u.length>0&&d`<ol class="patterns-crossings">
        ${u.map((m,f)=>d`<li><span aria-hidden="true">${Fi[f]}</span><span><${bh} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${wh} curves=${c} />${s==="full"?` ${_h(l)}`:""}</p>
    </div>`}
  <//>`}function gh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],r=$t[e].times??1,o=a=>a.map(i=>i===null?NaN:i*r);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:o(a[e]),exponent:a.exponent[e]}))}function xh(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${Fi[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function yh(t,e){let n=t.crossings.filter(r=>r.quantity===e&&(r.more||r.right!=="projections")),s=!n.some(r=>r.left==="this mechanism"&&r.right==="full attention")&&vh(t,e);return n.filter(r=>!(s&&r.left==="this mechanism")).sort((r,o)=>r.tokens-o.tokens)}function vh(t,e){let[n,s]=["ours","full"].map(r=>t.curves.find(o=>o.kind===r)[e]);return n.every((r,o)=>r===s[o])}function bh({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",r=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",o=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${o}${a}`;return d`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${H(t.tokens)}</b> ${i}<${ir} claim=${r} place=${n} />.`}function wh({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?d`At the end they grow as ${e.map((n,s)=>d`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function _h(t){let n=t.chosen.map((s,r)=>[s,t.tokens[r]]).filter(([s],r)=>s&&s!==t.chosen[r-1]).map(([s,r],o)=>o?`${s} from ${H(r)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${H(t.tokens.at(-1))} tokens are compared.`}var jn=[0,.1,.36],kh=512,Mh="Point at the map, or use the arrow keys.",Sh=" Press Enter to follow that query through the layers below.";function Wi({found:t,request:e,output:n,onChoose:s,saving:r}){let o=D(null),{header:a,levels:i}=K(()=>Ch(t.response),[t.response]),c=a&&d`<${at} name="mask" of=${o} numbers=${()=>({mask:{shape:[a.rows,a.columns],data:i}})} ...${r} />`;return d`<${F} title="Who sees whom" actions=${c}>
    <${I} error=${t.error} waiting=${!a&&t.waiting} />
    ${a&&d`<${Nh} header=${a} levels=${i} request=${e} output=${n} picture=${o}
      onChoose=${r.place==="file"?null:s} />`}
  <//>`}function Nh({header:t,levels:e,request:n,output:s,onChoose:r,picture:o}){ct();let[a,i]=Q(),[l,c]=j(null),u=K(()=>Float32Array.from(e,m=>jn[m]),[e]),p=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,h=(m,f)=>Eh(t,e,m,f,n.grid);return d`<div class="patterns-map" ref=${a}>
    <div ref=${o} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&d`<div class="patterns-framed">
        ${p!==null&&d`<span class="patterns-followed" style=${{top:`${100*(p+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${_t} data=${u} rows=${t.rows} columns=${t.columns} side=${Ah(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${p===null?null:[p,p]}
          onChoose=${r&&(m=>r(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${h} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${ur} shade=${jn[2]} />visible</li>
        ${t.cell>1&&d`<li><${ur} shade=${jn[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${ur} shade=${jn[0]} />hidden</li>
        ${t.cell>1&&d`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${cr} name="visible pairs" count="visible" value=${H(t.visible)} note=${`of ${H(t.pairs)}, ${Dn(t.visible,t.pairs)}`} />
        <${cr} name="keys that a query sees" count="most" value=${Bi(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${H(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${cr} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${H(t.visited)}
          note=${`of ${H(t.blocks)}; they hold ${H(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?h(...l):d`<span class="hint">${Mh}${r&&Sh}</span>`}</p>
      ${t.batch&&d`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var cr=({name:t,count:e,value:n,note:s})=>d`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function Ch(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function Ah(t,e){let n=Math.min(kh,e);return t.rows>40?t.rows*Math.max(1,Math.floor(n/t.rows)):n}var Bi=(t,e)=>t===e?H(t):`${H(t)} to ${H(e)}`,Th=["hidden","visible in part","visible"];function Eh(t,e,n,s,r){let o=c=>{let[u,p]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return r&&t.cell===1?`(${Math.floor(u/r[1])}, ${u%r[1]})`:u===p?H(u):`${H(u)}–${H(p)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${o(n)}, ${t.cell===1?"key":"keys"} ${o(s)}: ${Th[e[n*t.columns+s]]}. The ${a} ${i} ${Bi(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function ur({shade:t}){return d`<span class="patterns-swatch" style=${{background:Ot(t,"weight",1)}} aria-hidden="true"></span>`}var Oh=450,Ph="A token reaches an output if its value can get there through the layers, whatever the weights.",qn=t=>`${t} ${t===1?"layer":"layers"}`;function Hi({found:t,state:e,change:n,clipped:s,saving:r}){let o=D(null),[a,i]=j(!1),{header:l,first:c}=K(()=>Lh(t.response),[t.response]),u=l?.depths.length??e.layers,p=Math.min(e.depth??u,u);W(()=>{if(!a)return;if(p>=u)return i(!1);let x=setTimeout(()=>n({depth:p+1}),Oh);return()=>clearTimeout(x)},[a,p,u]);let h=()=>a?i(!1):(n({depth:p>=u?1:p}),i(!0)),m=()=>{let x=["fewest","mean","most","here","formula","convolution"],v=l.depths.flatMap(b=>x.map(y=>b[y]));return{reach:{shape:[u,x.length],data:v,rows:l.depths.map(b=>b.layers),columns:x}}},{place:f}=r,$=f==="file"?null:x=>n({output:x}),g=l&&d`<${at} name="reach" of=${o} numbers=${m} ...${r} />`;return d`<${F} title="How far layers reach" actions=${g} note=${Ph}>
    <div class="row patterns-choices">
      <${Pt} place=${f} noted=${!1}><${nt} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${H}
        onChange=${x=>n({layers:x,depth:null})} /><//>
      <${nt} label="Show after" value=${p} min=${1} max=${u} step=${1} says=${qn}
        onChange=${x=>(i(!1),n({depth:x}))} />
      ${!Lt()&&d`<button onClick=${h} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${Pt} place=${f} noted=${!1}><${ft} label="residual connections" value=${e.residual}
        onChange=${x=>n({residual:x})} /><//>
    </div>
    <${Ut} place=${f} what="change the layers, or follow another token" />
    <${I} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${o} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${zh} header=${l} depth=${p} /></p>
      ${l.sides.length===2?d`<${Rh} header=${l} first=${c} depth=${p} onChoose=${$} />`:d`<${Dh} header=${l} first=${c} depth=${p} onChoose=${$} />`}
      <${qh} header=${l} depth=${p} />
    </div>
    ${s&&d`<p class="hint">Computed for ${l.sides.map(H).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function Lh(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,r=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:r,count:e.tokens}}}var pr=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function zh({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${H(t.output)}`,o=`${n.here===t.tokens?"all":`${H(n.here)} of`} ${H(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${Dn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return d`After ${qn(e)} <b data-reached=${n.here}>${o}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function Rh({header:t,first:e,depth:n,onChoose:s}){let[r,o]=t.sides,[a,i]=Q(),l=K(()=>{let u=new Float32Array(t.tokens);for(let p=n;p>=1;p--)for(let h=0;h<t.tokens;h++)e.reached[(p-1)*t.tokens+h]&&(u[h]=pr(p,t.depths.length));return u},[e,n]),c=(u,p)=>{let h=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+u*o+p]);return`pixel (${u}, ${p}): ${h<0?"never reaches the output":`reaches it from layer ${h+1} on`}`};return d`<div class="patterns-field" ref=${a}>
    ${i>0&&d`<${_t} data=${l} rows=${r} columns=${o} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${qn(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/o),t.output%o]} onChoose=${s&&((u,p)=>s(u*o+p))} says=${c} />`}
    <${jh} header=${t} />
    ${s&&d`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function Dh({header:t,first:e,depth:n,onChoose:s}){let r=ct(),o=D(null),[a,i]=Q(),l=t.depths.length;lt(()=>{if(!i)return;let p=new Float32Array((l+1)*t.tokens);p[t.output]=1;for(let m=1;m<=n;m++){let f=pr(m,l);for(let $=0;$<t.tokens;$++)e.reached[(m-1)*t.tokens+$]&&(p[m*t.tokens+$]=f)}let h=Math.max(64,Math.min(t.tokens,Math.floor(i)));Cn(o.current,p,l+1,t.tokens,"weight",1,h)},[t,e,n,i,r]);let c=p=>{let h=p.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((p.clientX-h.left)/h.width*t.tokens))))},u=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return d`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${u}px`}} aria-hidden="true"><span>output</span><span>${qn(l)}</span></div>
    <div ref=${a}><canvas ref=${o} role="img" style=${{height:`${u}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(p=>p.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${H(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${nt} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${H} />
    </div>
  </div>`}function jh({header:t}){ct();let e=t.depths.length,n=s=>Ot(pr(s,e),"weight",1);return d`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>d`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function qh({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),r=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&r.push({name:"by the formula",x:n,y:s("formula")}),r.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let o=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return o||r.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),d`<div class="patterns-growing">
    <${Ct} series=${r} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${z} />
    <p class="note">${t.formula!==null?d`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${o&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var hr=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],dr=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],Vi={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},Xi=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],Fh=lr(16,131072),Ui=lr(4,128),Ki=[1,2,4,8,16,32,64],mr=4096,$e={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function Ih(t){let e=s=>t[s].slice(0,300),n=(s,r,o)=>ee(t[s],r,o,$e[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:ln(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Se(t.device,Object.keys(Vi),$e.device),dtype:Se(t.dtype,Xi.map(([s])=>s),$e.dtype),quantity:Se(t.quantity,Object.keys($t),$e.quantity),compare:Se(t.compare,["full","algorithms"],$e.compare)}}function Wh({ask:t,state:e,change:n,place:s}){let r=Ih(e),o=G(t,"presets",{}),a=Bh(r),i=xt(t,"mechanism",a.mechanism),l=xt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},u=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),p=D(null);u&&Object.keys(c).length===0&&(p.current=Hh(r,a));let h=p.current,m=xt(t,"pattern",h?.pattern),f=xt(t,"plan",h?.plan),$=xt(t,"reach",h?.reach),g=G(t,"growth",h?.growth),v={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(h)],ask:t,view:"patterns",state:r,place:s},b=$.response?.header.output??null;return d`<div class="sided patterns">
    <${Pt} class="patterns-left" place=${s}>
      <${Kh} known=${o} state=${r} change=${n} wrong=${c} place=${s} />
      <${Xh} devices=${o.response?.devices??[r.device]} state=${r} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!u)}>
      ${a.second&&d`<${Pt} class="patterns-turns" place=${s} noted=${!1}><${tt} label="Mask, plan and cost of" value=${r.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${y=>n({shown:y})} /><//>`}
      ${h===null&&Object.keys(c).length>0&&d`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${Wi} found=${m} request=${h?.pattern} output=${b} onChoose=${y=>n({output:y})} saving=${v} />
      <${qi} found=${f} saving=${v} />
      <${Ii} found=${g} request=${a.mechanism} quantity=${r.quantity} compare=${r.compare}
        change=${n} saving=${v} place=${s} />
      <${Hi} found=${$} state=${r} change=${n} clipped=${h!==null&&Uh(r)} saving=${v} />
    </div>
  </div>`}function Bh({mask:t,second:e,shown:n,scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p,backward:h}){let m={scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p||null,backward:h},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function Hh(t,{mechanism:e,masks:n}){let{tokens:s,...r}=e,o=Gi(t),a=o.grid?o.grid[0]*o.grid[1]:o.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...r,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...o,layers:t.layers,residual:t.residual,output:i}}}var Gi=({tokens:t,grid:e})=>e&&e[0]*e[1]>mr?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(mr)))}:{tokens:e?t:Math.min(t,mr),grid:e},Uh=t=>JSON.stringify(Gi(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function Kh({known:t,state:e,change:n,wrong:s,place:r}){let o=X(),a=t.response?.presets??[],i=h=>["mask","second","scores","weighting"].every(m=>h[m]===e[m])&&!!h.grid==!!e.grid,l=a.find(i),c=({mask:h,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v})=>n({mask:h,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:v,depth:null,output:null,shown:0}),u=K(()=>(hr.includes(e.scores)?hr:[...hr,e.scores]).map(h=>[h,h]),[e.scores]),p=dr.some(([h])=>h===e.weighting)?dr:[...dr,[e.weighting,e.weighting]];return d`<${F} title="Mechanism">
    <${I} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(h=>d`<label><input type="radio" name=${o} value=${h.name} checked=${h===l} onChange=${()=>c(h)} />
        <span>${h.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${ir} claim=${l?.claim} place=${r} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${ht} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${h=>n({mask:h})} />
          <${Fn} text=${s.mask} /></div>
        <div><${ht} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${h=>n({second:h,shown:h.trim()?e.shown:0})} /><${Fn} text=${s.second} /></div>
        <${Vh} words=${t.response?.words??[]} />
      </div>
      <div><${ot} label="Scores" value=${e.scores} options=${u} onChange=${h=>n({scores:h})} />
        <${Fn} text=${s.scores} /></div>
      <div><${ot} label="Weights" value=${e.weighting} options=${p} onChange=${h=>n({weighting:h})} />
        <${Fn} text=${s.weighting} /></div>
    </div>
  <//>`}var Fn=({text:t})=>d`<div role="status" aria-live="polite">${t&&d`<p class="error patterns-wrong">${t}</p>`}</div>`;function Vh({words:t}){return d`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>d`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function Xh({devices:t,state:e,change:n}){let{grid:s}=e,r=o=>a=>n({grid:s.map((i,l)=>l===o?a:i),output:null});return d`<${F} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${ft} label="tokens on a grid" value=${s!==null} onChange=${o=>n({grid:o?[64,64]:null,output:null})} />
      ${s?d`<${qt} label="Rows" value=${s[0]} values=${Ui} onChange=${r(0)} />
          <${qt} label="Columns" value=${s[1]} values=${Ui} onChange=${r(1)} />`:d`<${qt} label="Tokens N" value=${e.tokens} values=${Fh} onChange=${o=>n({tokens:o,output:null})} />`}
      <${qt} label="Heads" value=${e.heads} values=${Ki} onChange=${o=>n({heads:o})} />
      <${qt} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${o=>n({width:o})} />
      <${qt} label="Batch" value=${e.batch} values=${Ki} onChange=${o=>n({batch:o})} />
      <${qt} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${o=>n({block:o})} />
      <${ot} label="Machine" value=${e.device} options=${t.map(o=>[o,Vi[o]??o])}
        onChange=${o=>n({device:o})} />
      <${ot} label="Numbers" value=${e.dtype} options=${Xi} onChange=${o=>n({dtype:o})} />
      <${ft} label="include the backward pass" value=${e.backward} onChange=${o=>n({backward:o})} />
    </div>
  <//>`}var Ji={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:$e,View:Wh};var tl={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:0,noise:null,plane:"tokens",axes:"0,1"},Yi=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],el={tokens:12,heads:4},ge=100,nl=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),Gh=t=>t<=0?0:Math.max(1,Math.min(ge-1,Math.round(1+98*(Math.log10(t)+2)/4))),it=(t,e)=>Array.from({length:e},(n,s)=>`${t}${In(s+1)}`),In=t=>String(t).replace(/\d/g,e=>"₀₁₂₃₄₅₆₇₈₉"[e]);function Qi(t,e){let n=(r,o)=>Math.max(0,Math.min(r,o-1)),s=e.noise?.noise?.length===t.heads[0].q[0].length&&e.noise.index<t.x.length;return{x:t.x,heads:t.heads,out:t.out,beta:e.beta===null?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:n(e.head,t.heads.length),query:n(e.query,t.x.length),noise:s&&!e.hard?e.noise:null}}var Jh=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]);function Yh({ask:t,state:e,change:n,place:s}){let r=D(null),o=G(t,"example",{}),a=Jh(e.problem)?e.problem:o.response,i=a&&Qi(a,e),l=xt(t,"playground",i),c=l.response;if(!a)return d`<${I} error=${o.error} waiting=${!0} />`;if(!c)return d`<div class="sided playground"><${F} title="Attention">
      <${Zi} state=${e} change=${n} beta=${e.beta} problem=${a} edit=${()=>{}} />
      <${I} error=${l.error} waiting=${!0} />
    <//></div>`;let u=JSON.parse(l.of),p=s==="file",h=$=>n({problem:{x:a.x,heads:a.heads,out:a.out,...$}});return d`<div class="sided playground" ref=${r}>
    <div>
      <${F} title="Attention" actions=${d`<${at} name="playground" of=${r} numbers=${()=>rd(c,u)} saves=${()=>[["example",{}],...Array.from({length:ge+1},($,g)=>["playground",Qi(a,{...e,...sl(g)})]),["playground",i]]} ask=${t} view="playground" state=${e} place=${s} />`}>
        <${Zi} state=${e} change=${n} beta=${c.beta} problem=${a} edit=${h} isSaved=${p} />
        <${I} error=${l.error} />
      <//>
      <${Qh} state=${e} change=${n} found=${c} shown=${u} problem=${a} edit=${h} isSaved=${p} />
    </div>
    <div class="columns">
      <${td} found=${c} shown=${u} change=${p?null:n} />
      ${c.moved?d`<${nd} found=${c} shown=${u} change=${n} />`:e.plane==="keys"&&d`<${sd} isHard=${u.hard} />`}
      <${Zh} problem=${a} head=${i.head} edit=${h} isSaved=${p} />
      <${ed} found=${c} shown=${u} />
      ${c.merged&&d`<${F} title="Output" note=${`${u.heads.length>1?"All heads side by side":"The head"}, times W_O: a row for each token.`}>
        <${kt} label="output" values=${c.merged} rowNames=${it("y",c.merged.length)} digits=${5} />
      <//>`}
    </div>
  </div>`}var sl=t=>t===ge?{hard:!0}:{hard:!1,beta:nl(t)};function Zi({state:t,change:e,beta:n,problem:s,edit:r,isSaved:o}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?ge:Gh(i),c=s.heads.length,u=!Yi.some(([$])=>$===t.mask),[p,h]=j(u),m=()=>{let[$,g]=[s.heads[0].q.length,s.heads[0].q[0].length],x=(y,w)=>Array.from({length:y},(M,A)=>Array.from({length:w},(_,T)=>A%w===T?1:0)),v=s.heads[0].v[0].length,b=s.out&&[...s.out,...x(v,s.out[0].length)];r({heads:[...s.heads,{q:x($,g),k:x($,g),v:x($,v)}],out:b}),e({head:c})},f=()=>{let $=s.heads[0].v[0].length,g=Math.min(t.head,c-1);r({heads:s.heads.filter((x,v)=>v!==g),out:s.out?.filter((x,v)=>Math.floor(v/$)!==g)??null}),e({head:Math.max(0,g-1)})};return d`<div class="stack">
    <div>
      <${nt} label="β" min="0" max=${ge} step="1" value=${l} onChange=${$=>e(sl($))}
        says=${$=>$===ge?"hard":$===l?z(i,4):z(nl($))} />
      <p class="note">β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest.
        <${Dt} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${t.beta===null&&!t.hard}>back to 1/√${a}<//></p>
      ${o&&d`<p class="note">Saved from regard: the slider works; run regard explore to change anything else.</p>`}
    </div>
    <fieldset class="group" disabled=${o}>
    <${tt} label="Mask" value=${p?"custom":t.mask} options=${[...Yi,["custom","write one"]]}
      onChange=${$=>(h($==="custom"),$!=="custom"&&e({mask:$}))} />
    ${p&&d`<${ht} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${$=>e({mask:$})} />`}
    <div class="row">
      <${tt} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map(($,g)=>[g,g+1])} onChange=${$=>e({head:$,noise:null})} />
      <span><${Dt} onClick=${m} off=${c>=el.heads} aria-label="add a head">+<//>${" "}<${Dt} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
    </div>
    <div class="row"><button onClick=${()=>(h(!1),e({...tl}))}>Reset to the worked example</button></div>
    </fieldset>
  </div>`}function Qh({state:t,change:e,found:n,shown:s,problem:r,edit:o,isSaved:a}){let i=s.head,l=t.plane==="tokens"?r.x[0].length:n.q[i][0].length,c=[];for(let $=0;$<l;$++)for(let g=$+1;g<l;g++)c.push([`${$},${g}`,`${$+1} and ${g+1}`]);let[u,p]=(c.find(([$])=>$===t.axes)?.[0]??c[0]?.[0]??"0,0").split(",").map(Number),h=$=>({x:$[u]??0,y:$[p]??0}),m,f;if(t.plane==="tokens")m=r.x.map(($,g)=>({id:`x${g}`,...h($),name:`x${In(g+1)}`,kind:"token"})),f=($,g,x)=>o({x:r.x.map((v,b)=>`x${b}`===$?v.map((y,w)=>w===u?g:w===p?x:y):v)});else{let $=(x,v,b)=>s.noise?.on===x&&s.noise.index===v?b.map((y,w)=>y+s.noise.noise[w]):b,g=(x,v)=>v.map((b,y)=>{let w=$(x,y,b);return{id:`${x} ${y}`,...h(w),name:`${x[0]}${In(y+1)}`,kind:x,from:w===b?null:[b[u],b[p]]}});m=[...g("query",n.q[i]),...g("key",n.k[i])],f=(x,v,b)=>{let[y,w]=x.split(" "),A=n[y==="key"?"k":"q"][i][w].map((_,T)=>Number(((T===u?v:T===p?b:_)-_).toFixed(6)));e({noise:{on:y,index:Number(w),noise:A},hard:!1})}}return d`<${F} title="In the plane">
    <${tt} label="Move" value=${t.plane} options=${[["tokens","tokens"],["keys","queries and keys"]]} onChange=${$=>e({plane:$})} />
    <p class="note">${t.plane==="tokens"?"Drag a token: its query, key and value follow.":"Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked."}</p>
    ${c.length>1&&d`<${ot} label="Coordinates" value=${`${u},${p}`} options=${c} onChange=${$=>e({axes:$})} />`}
    <${od} label=${t.plane==="tokens"?"the tokens":"queries and keys"} points=${m} onMove=${a?()=>{}:f}
      xLabel=${`coordinate ${u+1}`} yLabel=${`coordinate ${p+1}`} height=${260} />
    ${s.noise&&d`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function Zh({problem:t,head:e,edit:n,isSaved:s}){let{x:r,heads:o,out:a}=t,i=o[e],l=u=>p=>n({heads:o.map((h,m)=>m===e?{...h,[u]:p}:h)}),c=()=>n({x:[...r,r[0].map(()=>0)]});return d`<${F} class="wide" title="Numbers you can change" note="Type, use the up and down keys, or drag a number sideways.">
    <fieldset class="row playground-inputs group" disabled=${s}>
      <div><h3>X, the tokens</h3><${fr} label="X" values=${r} rowNames=${it("x",r.length)} onChange=${u=>n({x:u})}
        onRemoveRow=${r.length>1?u=>n({x:r.filter((p,h)=>h!==u)}):null} />
        <${Dt} onClick=${c} off=${r.length>=el.tokens}>Add a token<//></div>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([u,p])=>d`<div><h3>${p}${o.length>1?` of head ${e+1}`:""}</h3><${fr} label=${p} values=${i[u]} onChange=${l(u)} /></div>`)}
      ${a&&d`<div><h3>W_O</h3><${fr} label="W_O" values=${a} onChange=${u=>n({out:u})} /></div>`}
    </fieldset>
  <//>`}function td({found:t,shown:e,change:n}){let s=e.head,r=e.x.length,[o,a]=[it("q",r),it("k",r)];return d`<${F} class="wide" title=${e.heads.length>1?`Head ${s+1}`:"The head"} note="A row for each query, a column for each key. Choose a query to see its Jacobian.">
    <div class="row playground-results">
      <div><h3>Logits β·q·k</h3><${kt} label="logits" values=${t.logits[s]} scale="signed" rowNames=${o} columnNames=${a} /></div>
      <div><h3>Weights</h3><${kt} label="weights" values=${t.weights[s]} scale="weight" limit=${1} rowNames=${o} columnNames=${a} digits=${4}
        chosen=${e.query} onRow=${n&&(i=>n({query:i}))} /></div>
      <div><h3>Outputs Σ a·v</h3><${kt} label="outputs" values=${t.outputs[s]} rowNames=${it("o",r)} digits=${4} /></div>
    </div>
  <//>`}function ed({found:t,shown:e}){let n=Math.sqrt(t.jacobian.flat().reduce((r,o)=>r+o*o,0)),s=e.x.length;return d`<${F} title=${`How the weights of q${In(e.query+1)} respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${kt} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${it("a",s)} columnNames=${it("z",s)} />
    <p class="note">Frobenius norm <b data-norm>${z(n,4)}</b>, at most 1 − Σa².</p>
  <//>`}function nd({found:t,shown:e,change:n}){let{moved:s}=t,r=e.x.length,o=s.moved.flat(),a=o.filter(Boolean).length,i=s.moved.filter(h=>h.some(Boolean)).length,{on:l,index:c,noise:u}=e.noise,p=Math.max(...s.predicted.flatMap((h,m)=>h.map((f,$)=>Math.abs(f-s.weights[m][$]))));return d`<${F} class="wide" title=${`Noise on ${l} ${c+1}`}
    note=${l==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${d`<button onClick=${()=>n({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${u.map(h=>z(h)).join(", ")}): <b>${a} of ${o.length}</b> weights moved, of <b>${i} of ${r}</b> queries; <b>${s.outputs_moved.filter(Boolean).length} of ${r}</b> outputs. Σ(a′ − a)² = ${z(s.energy)}.</p>
    <div class="row playground-results">
      <div><h3>Weights after it</h3><${kt} label="weights after the noise" values=${s.weights} scale="weight" limit=${1} moved=${s.moved} rowNames=${it("q",r)} columnNames=${it("k",r)} digits=${4} /></div>
      <div><h3>Their change</h3><${kt} label="change of the weights" values=${s.change} scale="signed" moved=${s.moved} rowNames=${it("q",r)} columnNames=${it("k",r)} /></div>
      <div><h3>Outputs after it</h3><${kt} label="outputs after the noise" values=${s.outputs} moved=${s.outputs.map((h,m)=>h.map(()=>s.outputs_moved[m]))} rowNames=${it("o",r)} digits=${4} /></div>
      <div><h3>Added to the logits</h3><${kt} label="added to the logits" values=${s.shift} scale="signed" rowNames=${it("q",r)} columnNames=${it("k",r)} /></div>
      <div><h3>To first order</h3><${kt} label="change to first order" values=${s.first_order} scale="signed" rowNames=${it("q",r)} columnNames=${it("k",r)} /></div>
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${z(p)}.</p>
  <//>`}function sd({isHard:t}){return d`<${F} class="wide playground-silence" title="Noise"
    note=${t?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query in the plane, or move it with the arrow keys: this panel shows what changes."} />`}function rd(t,e){let n=o=>Array.isArray(o)?o.flatMap(n):[o],s=o=>Array.isArray(o)?[o.length,...s(o[0])]:[],r={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs,jacobian:t.jacobian};return t.merged&&(r.merged=t.merged),t.moved&&Object.assign(r,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(r).map(([o,a])=>[o,{shape:s(a),data:n(a)}]))}function kt({label:t,values:e,scale:n,limit:s,rowNames:r,columnNames:o,moved:a,chosen:i,onRow:l,digits:c=3}){ct();let u=s??Math.max(1e-12,...e.flat().map(p=>Math.abs(p??0)));return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${o&&d`<thead><tr>${r&&d`<td></td>`}${o.map(p=>d`<th scope="col">${p}</th>`)}</tr></thead>`}
    <tbody>${e.map((p,h)=>d`<tr class=${i===h?"chosen":""}>
        ${r&&d`<th scope="row">${l?d`<button class="quiet" aria-pressed=${i===h} onClick=${()=>l(h)}>${r[h]}</button>`:r[h]}</th>`}
        ${p.map((m,f)=>d`<td><span class=${`value${a?a[h][f]?" moved":" still":""}`} title=${m===null?"hidden":String(m)}
            style=${n&&m!==null?{background:Ot(m,n,u),color:Yr(m,n,u)}:null}>${m===null?"−∞":z(m,c)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function fr({label:t,values:e,rowNames:n,columnNames:s,onChange:r,onRemoveRow:o,step:a=.1}){let i=(c,u,p)=>r(e.map((h,m)=>m===c?h.map((f,$)=>$===u?p:f):h)),l=(c,u)=>{let p=c.currentTarget.closest("table");o(u),requestAnimationFrame(()=>(p.querySelectorAll("button")[Math.min(u,e.length-2)]??p.querySelector("input"))?.focus())};return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${s&&d`<thead><tr>${n&&d`<td></td>`}${s.map(c=>d`<th scope="col">${c}</th>`)}</tr></thead>`}
    <tbody>${e.map((c,u)=>d`<tr>
        ${n&&d`<th scope="row">${n[u]}</th>`}
        ${c.map((p,h)=>d`<td><${pe} label=${`${t}, row ${u+1}, column ${h+1}`} value=${p} step=${a} onChange=${m=>i(u,h,m)} /></td>`)}
        ${o&&d`<td><button class="quiet" aria-label=${`remove ${n?.[u]??`row ${u+1}`}`} title="remove" onClick=${p=>l(p,u)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function od({label:t,points:e,onMove:n,onChoose:s,chosen:r,xLabel:o,yLabel:a,step:i=.1,height:l=330}){let[c,u]=Q(),[p,h]=j(null),m=D(null),f=1.18*Math.max(1,...e.flatMap(({x:_,y:T,from:k})=>[_,T,...k??[]].map(Math.abs))),$=p?.bound??f,g=Math.max(60,Math.min(u,560)/2),x=(Math.min(2*g,l)/2-8)/$,v=(_,T)=>Pe().domain([-_/x,_/x]).range([(1-T)*_,(1+T)*_]),[b,y]=[v(g,1),v(l/2,-1)],w=_=>Number((Math.round(_/(i/2))*(i/2)).toFixed(4)),M=_=>{if(!p)return;let T=m.current.getBoundingClientRect();n(p.id,w(b.invert(_.clientX-T.left)),w(y.invert(_.clientY-T.top)))},A=(_,T)=>{let k={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[_.key];if(k){_.preventDefault();let P=_.shiftKey?10:1;n(T.id,Number((T.x+P*k[0]).toFixed(4)),Number((T.y+P*k[1]).toFixed(4)))}else(_.key==="Enter"||_.key===" ")&&(_.preventDefault(),s?.(T.id))};return d`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*g} height=${l} role="group" aria-label=${t} onPointerMove=${M}
      onPointerUp=${()=>h(null)} onPointerCancel=${()=>h(null)}>
      <g class="axes"><line x1="8" x2=${2*g-8} y1=${y(0)} y2=${y(0)} /><line x1=${b(0)} x2=${b(0)} y1="8" y2=${l-8} />
        ${b.ticks(6).filter(Boolean).map(_=>d`<text x=${b(_)} y=${y(0)+15} text-anchor="middle">${z(_)}</text>`)}
        ${y.ticks(5).filter(Boolean).map(_=>d`<text x=${b(0)-6} y=${y(_)} dy="0.35em" text-anchor="end">${z(_)}</text>`)}
        <text x=${2*g-8} y=${y(0)-7} text-anchor="end">${o}</text><text x=${b(0)+7} y="18">${a}</text></g>
      ${e.map(_=>_.from&&d`<g class="came"><circle cx=${b(_.from[0])} cy=${y(_.from[1])} r="5" /><line x1=${b(_.from[0])} y1=${y(_.from[1])} x2=${b(_.x)} y2=${y(_.y)} /></g>`)}
      ${e.map(_=>d`<g class=${`point ${_.kind}${r===_.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${_.name} at ${z(_.x)}, ${z(_.y)}; arrow keys move it`} data-point=${_.id}
        transform=${`translate(${b(_.x)},${y(_.y)})`} onKeyDown=${T=>A(T,_)}
        onPointerDown=${T=>{T.preventDefault(),T.currentTarget.focus(),m.current.setPointerCapture(T.pointerId),h({id:_.id,bound:$}),s?.(_.id)}}>
        ${_.kind==="key"?d`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:d`<circle r="8" />`}
        <text x="12" y="-8">${_.name}</text>
      </g>`)}
    </svg>
  </div>`}var rl={name:"playground",title:"Playground",about:"Four tokens, two heads, every number: change anything and see what attention makes of it.",state:tl,View:Yh};var ol=["loss","rate","gradient"],$r=36,ad=800;function Wn(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(r=>[...t.get(r)??[]].map(([o,a])=>({run:r,name:e.length>1?`${r} · ${o}`:o,...a}))).filter(r=>s.every(o=>r.name.toLowerCase().includes(o)))}function cl({curves:t,names:e,state:n,change:s}){let r=Wn(t,e,""),o=Wn(t,e,n.only),a=cd(o.slice(0,$r)),i=[...new Set(r.flatMap(h=>Object.keys(h.columns)))],l=ol.filter(h=>i.includes(h)),c=i.filter(h=>h!=="step"&&!ol.includes(h)),u=l.includes(n.metric)?n.metric:l[0],p=c.includes(n.evaluated)?n.evaluated:c[0];return l.length?d`<div>
    <div class="row runs-controls" data-unpictured>
      <${ft} label="Logarithmic" value=${n.log} onChange=${h=>s({log:h})} />
      <${nt} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${h=>s({smoothing:h})}
        says=${h=>h?z(h,2):"none"} />
      ${r.length>3&&d`<${ht} label=${`Only curves with these words, of ${r.length}`} value=${n.only} live max=${100}
        placeholder=${ld(r)} onChange=${h=>s({only:h})} />`}
    </div>
    ${o.length>$r&&d`<p class="hint">The first ${$r} of ${o.length} curves are drawn; filter them above.</p>`}
    ${!o.length&&d`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${id} shown=${a} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${tt} label=${d`<span class="unseen">Number at each step</span>`} value=${u} options=${al(l)}
              onChange=${h=>s({metric:h})} /></div></div>
          <${Ct} series=${ll(a,u,n.smoothing)} label=${`${u} by step`} xLabel="step"
            yLabel=${n.smoothing?`${u}, smoothed`:u} logY=${n.log} height=${270} says=${il} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${p&&d`<${ot} label="Number at evaluations" hidden value=${p} options=${al(c)}
              onChange=${h=>s({evaluated:h})} />`}</div></div>
          ${p?d`<${Ct} series=${ll(a,p,0)} label=${`${p} by step`} xLabel="step" yLabel=${p}
                height=${270} says=${il} />`:d`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:d`<p class="hint">No step has been recorded yet.</p>`}function id({shown:t}){return t.length<2?null:d`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map((e,n)=>d`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${Me[n%6]} /></svg>${e.name}</li>`)}
  </ul>`}var al=t=>t.map(e=>[e,e]),il=(t,e=4)=>z(t,e);function ld(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function cd(t){let e=[...new Set(t.map(s=>s.run))],n=e.length===1||e.some(s=>t.filter(r=>r.run===s).length>6);return t.map((s,r)=>({...s,class:yt[(n?r+Math.floor(r/6):e.indexOf(s.run))%6]}))}function ll(t,e,n){return t.map(({name:s,columns:r,class:o})=>{let a=(r.step??[]).map((l,c)=>[l,r[e]?.[c]??null]).filter(([,l])=>l!==null);n&&(a=ud(a,n));let i=Math.ceil(a.length/ad);return a=a.filter((l,c)=>c%i===0||c===a.length-1),{name:s,x:a.map(([l])=>l),y:a.map(([,l])=>l),class:o}})}function ud(t,e){let[n,s]=[0,0];return t.map(([r,o])=>(n=e*n+o,s=e*s+1,[r,n/s]))}function ul(t){let e=[...new Set(t.flatMap(r=>Object.keys(r.columns)))],n=t.flatMap(({name:r,lines:o,columns:a},i)=>Array.from({length:o},(l,c)=>[r,[i,...e.map(u=>a[u]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,r])=>r),rows:n.map(([r])=>r),columns:s}}}var pl=1e3,pd=3e3,hd=30;function hl(t,e){W(()=>{let n=new AbortController,[s,r,o]=[0,!1,null],a=async()=>{clearTimeout(s),!(r||n.signal.aborted)&&(r=!0,o=await t(n.signal),r=!1,o!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,o)))},i=()=>!document.hidden&&o!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function dl(t,e){let[n,s]=j({response:null,error:null}),r=D("");return hl(async o=>{let a=null;try{a=await t("runs",{},{signal:o});let i=JSON.stringify(a);i!==r.current&&s({response:a,error:null}),r.current=i}catch(i){if(gt(i))return null;r.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?pl:pd},[t,e]),n}function ml(t,e,n){let s=D(new Map),[r,o]=j({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return hl(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let u of e){let p=s.current.get(u.name);if(!(p&&p.state===u.state&&u.state!=="running"))try{let[h,m]=await dd(t,u.name,p?.trainings??new Map,i,n);s.current.set(u.name,{state:u.state,trainings:h}),l||=m||!p}catch(h){if(gt(h))return null;c=h.message}}return(l||c)&&o({curves:new Map([...s.current].map(([u,p])=>[u,p.trainings])),error:c}),n!=="file"&&e.some(u=>u.state==="running")?pl:null},[t,a,n]),r}async function dd(t,e,n,s,r){let o=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...o].map(([p,{lines:h,mark:m}])=>[p,{lines:h,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),u=new Set(c.trainings.map(p=>p.name));for(let p of o.keys())u.has(p)||(o.delete(p),a=!0);for(let{name:p,start:h,lines:m,mark:f,columns:$}of c.trainings){let g=o.get(p);g&&h===g.lines&&m===g.lines||(a=!0,o.set(p,{lines:m,mark:f,columns:md(g?.columns??{},h,$,m)}))}i=c.more&&r!=="file"}return[o,a]}function md(t,e,n,s){let r=o=>new Array(o).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(o=>[o,[...t[o]?.slice(0,e)??r(e),...n[o]??r(s-e)]]))}function fl(t){let e=D(new Map);for(let n of t)for(let{name:s,step:r,written:o}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===r)continue;let c=l&&r<l.step?[]:i.filter(u=>o-u.written<hd);e.current.set(a,[...c,{step:r,written:o}])}return(n,s)=>{let r=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[o,a]=[r[0],r.at(-1)];return r.length<2||a.written<=o.written?null:(a.step-o.step)/(a.written-o.written)}}var Bn=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function xr({text:t}){let e=D(null),[n,s]=j("");return d`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function $l({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?Bn(t):null,s=l=>l.steps!==null&&l.step>=l.steps,r=l=>s(l)||t.state==="running"&&l!==n,o=t.trainings.filter(r),a=o.length>4,i=t.trainings.filter(l=>!a||!o.includes(l)).sort((l,c)=>l.written-c.written);return d`<div class="runs-progress">
    ${a&&d`<p class="note">${o.length} trainings are done.</p>`}
    ${i.map(l=>d`<${fd} key=${l.name} one=${l} speed=${t.state==="running"&&!r(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&d`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&d`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&d`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${xr} text=${t.resume} />`}
  </div>`}var gr=t=>t.toLocaleString("en");function fd({one:{name:t,step:e,steps:n},speed:s}){let r=s&&n?(n-e)/s:null,o=[n?`step ${gr(e)} of ${gr(n)}`:`step ${gr(e)}`];return s&&o.push(`${z(s,2)} steps/s`),r!==null&&o.push(`${$d(r)} left`),d`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&d`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${o.join(" · ")}</span>
  </div>`}function $d(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${z(t/3600,2)} h`}function gl({ask:t,run:e,text:n}){let s=D(null);return W(()=>{let r=new AbortController,o=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))gd(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=xd(a);t("figure",{run:e,name:a.dataset.figure},{signal:r.signal}).then(({header:l,data:c,offset:u})=>{o.push(URL.createObjectURL(new Blob([new Uint8Array(c,u)],{type:l.kind}))),a.src=o.at(-1)},l=>gt(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{r.abort(),o.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),d`<div class="runs-report" ref=${s}></div>`}function gd(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function xd(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var xl=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function yl({numbers:t}){let e=Object.keys(t);return d`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>d`<tr><th scope="row">${n}</th><td class="number">${z(t[n],4)}</td></tr>`)}
    </tbody></table></div></details>`}function vl({settings:t}){let e=t.filter(n=>n.own!==null).length;return d`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:r})=>d`<tr class=${r===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${r===null?"":d`<code>${r}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var yd={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function vd({ask:t,state:e,change:n,place:s}){let r={...e,smoothing:ls(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:o,error:a}=dl(t,s),i=o?.runs??[],l=i.filter(b=>!b.is_shipped).sort((b,y)=>y.started.localeCompare(b.started)),c=i.filter(b=>b.is_shipped),u=D(null);u.current??=[...l,...c][0]?.name??null;let p=i.find(b=>b.name===(r.run??u.current)),h=i.filter(b=>b!==p&&r.compared.includes(b.name)),m=p?[p,...h]:[],f=ml(t,m,s),$=fl(i),g=D([r.run,...r.compared]).current,x=b=>s==="file"?b.filter(y=>g.includes(y.name)):b,v=(b,y)=>n({compared:[...r.compared.filter(w=>w!==b),...y?[b]:[]]});return o?d`<div class="sided runs">
    <div class="panel runs-side">
      <${I} error=${a} />
      ${!l.length&&s!=="file"&&d`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Ut} place=${s} what="see other runs" />
      <${Md} groups=${[["Yours",x(l)],["Comes with regard",x(c)]]} unreadable=${s==="file"?[]:o.unreadable}
        chosen=${p?.name} compared=${r.compared} onChoose=${b=>n({run:b})} onCompare=${v} />
    </div>
    ${p?d`<${bd} key=${`${p.name} ${p.state} ${p.started}`} ...${{ask:t,state:r,change:n,place:s,run:p,shown:m,found:f,speed:$}} />`:d`<${F} title=${r.run}><p>This run no longer exists.</p><//>`}
  </div>`:d`<${I} error=${a} waiting>reading the runs …<//>`}function bd({ask:t,state:e,change:n,place:s,run:r,shown:o,found:a,speed:i}){let l=D(null),{response:c,error:u,waiting:p}=G(t,"report",{run:r.name}),h=o.map(f=>f.name),m=()=>[["runs",{}],...h.map(f=>["curves",{run:f,after:{}}]),...h.map(f=>["report",{run:f}]),...xl(c?.html).map(f=>["figure",{run:r.name,name:f}])];return d`<div class="runs-detail" ref=${l}>
    <${F} title=${d`<span class="runs-title">${r.name}</span> <${yr} state=${r.state} />`}
      actions=${d`<${at} name=${`runs-${r.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:r.name}} place=${s}
        numbers=${()=>ul(Wn(a.curves,h,e.only))} saves=${m} />`}>
      ${r.headline&&d`<p class="runs-result">${r.headline}</p>`}
      ${r.is_smoke&&d`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${r.is_shipped?"Comes with regard; made with":d`Recipe ${r.recipe}, started ${_d(r.started)} with`}</p>
      <${xr} text=${r.command} />
      ${s==="page"&&d`<${wd} ask=${t} run=${r} />`}
      <${$l} run=${r} speed=${i} />
    <//>
    <section class="panel">
      <${I} error=${a.error} waiting=${!a.curves.has(r.name)}>reading the curves …<//>
      ${a.curves.has(r.name)&&d`<${cl} curves=${a.curves} names=${h} state=${e} change=${n} />`}
    </section>
    <${F} title="Report">
      <${I} error=${u} waiting=${p}>reading the report …<//>
      ${c?.html&&d`<${gl} ask=${t} run=${r.name} text=${c.html} />`}
      ${c&&!c.html&&d`<p class="hint">${r.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&d`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&d`<${yl} numbers=${c.numbers} />`}
      <${vl} settings=${c.settings} />
    </section>`}
  </div>`}function wd({ask:t,run:e}){let n=G(t,"models",{}).response?.models??[],s=G(t,"recorded",{}).response?.trainings??[],r=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,o=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!o&&!a?null:d`<p class="note runs-elsewhere" data-unpictured>
    ${o&&d`<a href=${r("maps",{model:o.name})}>Look at its attention maps</a>`}${o&&a&&" · "}
    ${a&&d`<a href=${r("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function _d(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var bl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:yd,View:vd},kd={done:d`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:d`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:d`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:d`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},yr=({state:t})=>d`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${kd[t]}</svg>${t}</span>`;function Md({groups:t,unreadable:e,chosen:n,compared:s,onChoose:r,onCompare:o}){let a=D(null);return W(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],u=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;u>0&&(c.scrollTop+=u+12)},[n]),d`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],u=c.indexOf(l.target),p=u<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:he(l,u,c.length,1);p!==null&&c[p].focus()}}>
    ${t.map(([l,c])=>c.length>0&&d`<section><h2>${l}</h2><ul>
      ${c.map(u=>d`<li key=${u.name} class=${u.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${u.name===n?"true":null} onClick=${()=>r(u.name)}>
          <span class="runs-name">${u.name}</span><${yr} state=${u.state} />
          <span class="runs-headline">${u.headline??Sd(u)}</span>
        </button>
        ${u.name!==n&&d`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(u.name)} onChange=${p=>o(u.name,p.target.checked)} />
          compare<span class="unseen"> ${u.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&d`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>d`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${yr} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function Sd(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=Bn(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var Hn=[rl,Ri,ci,Ji,Ba,bl],Ft=t=>Hn.find(e=>e.name===t)??Hn[0];function He({model:t}){let e=Ft(t.get("view")),n=K(()=>Jr(t),[t]),[s,r]=j(()=>({...e.state,...t.get("state")}));W(()=>{let a=()=>r({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let o=Ur(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return d`<${e.View} ask=${n} state=${s} change=${o} place=${t.get("place")??"notebook"} />`}function vr(){let[,t,e]=/^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash)??[],n=Ft(t);return{view:n.name,state:Nd(n,e)}}function Nd(t,e){try{let n=Object.entries(JSON.parse(decodeURIComponent(e??""))??{});return Object.fromEntries(n.filter(([s,r])=>Cd(r,t.state[s])))}catch{return{}}}var wl=t=>Array.isArray(t)?"array":t===null?"null":typeof t,Cd=(t,e)=>e!==void 0&&(e===null||wl(t)===wl(e));function kl({view:t,state:e}){let n=Object.entries(e).filter(([s,r])=>!Ml(r,Ft(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(br(Object.fromEntries(n)))}`:""}`}var br=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n),Ml=(t,e)=>br(t)===br(e),te=new Map;function _l({view:t,state:e}){if(!te.has(t)){let n=new en({view:t,state:e,place:"page"}),s=0;n.on("change:state",()=>{clearTimeout(s),s=setTimeout(()=>{vr().view===t&&history.replaceState(null,"",kl({view:t,state:n.get("state")}))},200)}),te.set(t,n)}return te.get(t)}function Ad({model:t,children:e}){let[n,s]=j(null);return this.componentDidCatch=r=>{console.error(r),s(r)},W(()=>{let r=()=>s(null);return t.on("change:state",r),()=>t.off("change:state",r)},[t]),n===null?e:d`<section class="panel" role="alert">
    <p class="error">The view cannot show this address: ${n.message}</p>
    <button onClick=${()=>t.set("state",{})}>Start over</button>
  </section>`}function Sl(){let[t,e]=j(vr);W(()=>{let s=()=>{let r=vr();te.has(r.view)&&!Ml(te.get(r.view).get("state"),r.state)&&te.get(r.view).set("state",r.state),e(r)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),W(()=>{document.title=`${Ft(t.view).title} · regard`},[t.view]);let n=Ft(t.view);return d`
    <a class="skip" href=${location.hash||"#playground"} onClick=${Td}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${on} />regard</a>
      <nav aria-label="Views">
        ${Hn.map(s=>d`<a
            href=${kl({view:s.name,state:te.get(s.name)?.get("state")??{}})}
            aria-current=${s.name===n.name?"page":null}
            >${s.title}</a
          >`)}
      </nav>
      <${an} />
    </header>
    <main id="main" tabindex="-1">
      <div class="heading"><h1>${n.title}</h1><p>${n.about}</p></div>
      <${Ad} key=${n.name} model=${_l(t)}><${He} model=${_l(t)} /><//>
    </main>
  `}function Td(t){t.preventDefault(),document.getElementById("main").focus()}var wr=document.getElementById("regard-page");wr&&(wr.textContent="",we(d`<${Sl} />`,wr));var Nl=document.getElementById("regard-saved");Nl&&Ed(JSON.parse(Nl.textContent));function Ed({view:t,state:e,answers:n,version:s,date:r}){let o=Ft(t),a=new nn({view:t,state:e,place:"file"},n);document.title=`${o.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=d`
    <main>
      <div class="heading"><div><h1>${o.title}</h1><p>${o.about}</p></div><${an} /></div>
      <${He} model=${a} />
    </main>
    <footer><${on} /><p>Saved from regard ${s} on ${r}; <code>regard explore</code> shows it live.</p></footer>
  `;we(l,i)}function Cl(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var a0={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:r})=>e.contains(r)&&(r.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),Cl();let s=new MutationObserver(Cl);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),we(d`<${He} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),we(null,e))}};export{en as PageModel,nn as SavedModel,Jr as asker,a0 as default,Bs as drawFigure,me as ellipseOf,Vl as fromBase64,d as html,gt as isAborted,we as render,as as toBase64,Kl as unpack,G as useAnswer,xt as useLatest,Ft as viewOf};
